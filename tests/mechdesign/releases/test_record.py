"""The record against FORMAT.md: its keys, and its digests as a stranger computes them from the file alone."""

import hashlib
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from microdata import without_canonical, write_people
from wording import refused

from mechdesign.errors import InputError, RefusedError
from mechdesign.releases.checking import check_release
from mechdesign.releases.estimates.estimate import estimate_release
from mechdesign.releases.files import release_file
from mechdesign.releases.record import sizes_text
from mechdesign.verify import __main__ as program
from mechdesign.verify import record as verify

FORMAT = (Path(__file__).parents[3] / "FORMAT.md").read_text(encoding="utf-8")
ASKED = {"bit": "poor", "group": "area", "alpha": "3/4"}


class Written(str):
    """A number as it is written."""


def canonical(value):
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(key) + ":" + canonical(value[key]) for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return str(value) if isinstance(value, Written) else json.dumps(value)


@pytest.fixture
def record(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people("people.csv", areas=12, largest=4)
    with without_canonical():
        release_file("people.csv", "r.csv", record="r.json", loss="L0", **ASKED)
    return json.loads(Path("r.json").read_text(), parse_float=Written, parse_int=Written)


def test_every_key_is_listed():
    section = FORMAT.partition("## Release record")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    listed = [key for row in rows for key in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted((*verify.TOP, *verify.MORE[verify.FORMATS[2]]))


def test_digests_are_those_of_the_format(record):
    digests = [hashlib.sha256(canonical(design).encode()).hexdigest() for design in record["designs"]]
    assert digests == [size["design"] for size in record["sizes"]]
    assert record["designs_sha256"] == hashlib.sha256("".join(f"{d}\n" for d in digests).encode()).hexdigest()
    assert record["output"]["sha256"] == hashlib.sha256(Path("r.csv").read_bytes()).hexdigest()
    assert verify.canonical({"b": [1.5, "\u00e9"], "a": None}) == '{"a":null,"b":[1.5,"\\u00e9"]}'


def test_the_statement_is_that_of_the_format(record):
    ends = [size["design"] for size in record["sizes"]]
    largest = max(((design["score"]["exact"], design["problem"]["n"]) for design in record["designs"]), key=fraction)
    score = -(-fraction(largest)[0] * 10**6 // 1) / 10**6
    assert len(ends) == 4
    assert record["statement"].splitlines() == [
        "Privacy statement: 12 counts were released, each with epsilon = 0.287683 (alpha = 0.75).",
        "A neighbour is the same data with one person's answer changed, which moves one count by at most 1.",
        "The size of every group is public. Groups must be disjoint: a person in several groups spends epsilon in "
        "each.",
        "Releasing the same data again adds another epsilon; any processing of the released counts is free.",
        "The counts are of poor, one for each area. The names and the sizes of all groups are published exactly: which "
        "groups there are, and how many rows of the microdata each has, is not protected.",
        "One row of the microdata was taken for one person. That no person has several rows was not checked; one that "
        "has spends epsilon for each.",
        "Mechanism: for each size (1..4) a design of its own, with the properties WH, RM, CM and the least loss L0 "
        f"expected under the prior uniform, proved optimal; largest score {float(score):.6g} at n = {largest[1]}.",
        f"Drawn on {record['date']} (UTC) by mechdesign {record['version']}. SHA-256 of the output: "
        f"{record['output']['sha256']}; of the digests of all designs: {record['designs_sha256']}. No digest of the "
        "input is given: it would let others test what they guess of it.",
    ]


def test_the_first_format_is_what_it_was(record):
    assert list(record) == list(verify.TOP)
    assert record["format"] == "mechdesign-release/1"
    assert {design["format"] for design in record["designs"]} == {"mechdesign-design/1"}


def worst(design, measure):
    """The largest mean of a measure of the error, over the true counts."""
    rows = [[Fraction(int(weight), int(design["denominator"])) for weight in row] for row in design["weights"]]
    size = range(len(rows))
    return max(sum((rows[i][j] * measure(abs(i - j)) for i in size), Fraction(0)) for j in size)


def distance_of(design):
    beyond = [worst(design, lambda e, d=d: int(e > d)) for d in range(9)]
    d = next(d for d, share in enumerate(beyond) if share <= Fraction(1, 10))
    x = int(100 * (1 - beyond[d]))
    square = worst(design, lambda e: e * e)
    rmse = next(k for k in range(10**6) if Fraction(k, 100) ** 2 >= square)
    return f"within {d} in at least {x} of 100 groups, root-mean-square error at most {rmse / 100:.2f}"


def test_the_second_format_tells_distances_and_intervals(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people("people.csv", areas=13, largest=5)
    with without_canonical():
        release_file("people.csv", "r.csv", record="r.json", intervals="0.9", **ASKED)
    data = json.loads(Path("r.json").read_text())
    first, third, last = (distance_of(data["designs"][k]) for k in (0, 2, 4))
    assert sorted(data) == sorted((*verify.TOP, *verify.MORE[verify.FORMATS[1]]))
    assert data["statement"].splitlines()[6:9] == [
        "Mechanism: for each size (1..5) a design of its own, with the properties WH, RM, CM and the least loss L1 "
        "expected under the prior uniform, proved optimal.",
        f"Distance from the true count, whatever that is. For groups of n = 1 (smallest): {first}; of n = 3 (median): "
        f"{third}; of n = 5 (largest): {last}.",
        "Intervals: low and high hold the true count of their group with a chance of at least 0.9, whatever it is. "
        "low_all and high_all hold those of all groups at once with a chance of at least 0.9. They follow from the "
        "released counts and the designs, and spend no privacy.",
    ]


def test_the_fourth_format_tells_further_respects(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people("people.csv", areas=13, largest=5)
    release_file("people.csv", "r.csv", record="r.json", loss="L0", **ASKED)
    data = json.loads(Path("r.json").read_text())
    assert sorted(data) == sorted((*verify.TOP, *verify.MORE[verify.FORMATS[3]]))
    assert {design["format"] for design in data["designs"]} == {"mechdesign-design/4"}
    assert data["statement"].splitlines()[6] == (
        "Mechanism: for each size (1..5) a design of its own, with the properties WH, RM, CM and the least loss L0 "
        "expected under the prior uniform, proved optimal. Of all that are as good at this alpha, for n = 1..5 one "
        "with the least loss L1, prior uniform, then of loss L2, prior uniform; no other mechanism at this alpha that "
        "equals its rotation has these scores."
    )
    assert program.main(["r.json", "r.csv"]) == 0
    assert all(claim.true for claim in check_release("r.json", "r.csv"))
    data["format"] = "mechdesign-release/3"
    Path("r.json").write_text(json.dumps(data))
    assert program.main(["r.json"]) == 2


def test_one_size_has_no_name_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("homes.csv").write_text("people,sick\n4,1\n4,2\n")
    release_file("homes.csv", "r.csv", record="r.json", column="sick", size="people", alpha="3/4", intervals="0.9")
    data = json.loads(Path("r.json").read_text())
    told = distance_of(data["designs"][0])
    assert f"Distance from the true count, whatever that is. For groups of n = 4: {told}.\n" in data["statement"]
    assert Path("r.csv").read_text().startswith("people,released,low,high,low_all,high_all\n4,")
    assert check_release("r.json", "r.csv")[-1].claim == "every interval follows from its count"


def test_columns_that_intervals_need_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("homes.csv").write_text("low,people,sick\n1,4,1\n")
    asked = {"column": "sick", "size": "people", "alpha": "3/4"}
    with refused(InputError, about="columns"):
        release_file("homes.csv", "r.csv", intervals="0.9", **asked)
    assert not Path("r.csv").exists()
    release_file("homes.csv", "r.csv", **asked)


def fraction(pair):
    return Fraction(pair[0]), int(pair[1])


def test_sizes_are_runs():
    assert sizes_text([1, 2, 3, 5, 7, 8]) == "1..3, 5, 7..8"


@pytest.mark.parametrize(
    "options",
    [
        {"bit": "poor", "alpha": "1/2"},
        {**ASKED, "column": "poor"},
        {"column": "poor", "unit_column": "id", "alpha": "1/2"},
        {"column": "poor", "alpha": "1/2"},
        {**ASKED, "epsilon": 1},
        {**ASKED, "mechanism": "m.json"},
        {**ASKED, "record": "r.csv"},
    ],
)
def test_bad_calls(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people("people.csv")
    Path("m.json").write_text("[[1]]")
    with refused(InputError):
        release_file("people.csv", "r.csv", **options)
    assert not Path("r.csv").exists()


def forged(old, new, release="r"):
    """Replace a line of an output, and put the new digest into its record."""
    text = Path(f"{release}.csv").read_bytes()
    assert old in text
    Path(f"{release}.csv").write_bytes(text.replace(old, new))
    digests = [hashlib.sha256(data).hexdigest() for data in (text, text.replace(old, new))]
    record = Path(f"{release}.json").read_text()
    Path(f"{release}.json").write_text(record.replace(*digests))


def false_claims(**given):
    return [claim.claim for claim in check_release("r.json", "r.csv", **given) if not claim.true]


@pytest.mark.parametrize(
    ("old", "new", "false"),
    [
        (b"area 0005,2", b"area 0001,2", ["every group stands once", "the groups are sorted by name"]),
        (b"area 0005,2", b"area 9999,2", ["the groups are sorted by name"]),
        (b"\n", b"\r\n", ["the output has line feeds and no byte order mark"]),
        (
            b"area,size",
            b"\xef\xbb\xbfarea,size",
            ["the output has line feeds and no byte order mark", "the output has the record's columns"],
        ),
    ],
    ids=["twice", "order", "returns", "mark"],
)
@pytest.mark.usefixtures("record")
def test_outputs_that_are_none_of_the_format(old, new, false):
    assert false_claims() == []
    forged(old, new)
    assert false_claims() == false
    with refused(RefusedError):
        estimate_release("r.csv", "r.json")


def test_names_and_sizes_are_those_of_the_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people("people.csv", areas=12, largest=4)
    release_file("people.csv", "r.csv", record="r.json", key="k", **ASKED)
    given = {"input": "people.csv", "key": "k"}
    assert false_claims(**given) == []
    forged(b"area 0011,4", b"area 0012,4")
    assert false_claims() == []
    assert false_claims(**given) == ["the output has the names and sizes of the input's groups"]


def test_rows_of_a_table_are_those_of_the_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("homes.csv").write_text("home,people,sick\nA,4,1\nB,2,2\nC,7,0\n")
    release_file("homes.csv", "r.csv", record="r.json", key="k", column="sick", size="people", alpha="3/4")
    given = {"input": "homes.csv", "key": "k"}
    assert false_claims(**given) == []
    forged(b"B,2", b"D,2")
    assert false_claims() == []
    assert false_claims(**given) == ["all columns but the counts are those of the input"]
