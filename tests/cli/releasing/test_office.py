"""The office's job: from microdata to a release that anybody can check and estimate from."""

import csv
import hashlib
import hmac
import json
import os
import re
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from microdata import COUNTED, HOUSEHOLDS, write_people
from tampering import set_in
from wording import check_wording, refused

from mechdesign import Claim
from mechdesign.errors import RefusedError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.releases.checking import check_release, read_record
from mechdesign.releases.files import release_file
from mechdesign.releases.statement import statement, wrapped
from mechdesign_catalog.mechanisms.candidates import make_mechanism

RELEASE = ("release", *HOUSEHOLDS, "--alpha", "2/3", "-o", "r.csv", "--record", "r.json")


@pytest.fixture
def office(mechdesign):
    office.truth = write_people("people.csv")
    return mechdesign


@pytest.fixture
def released(office):
    seen = office(*RELEASE, "--key", "secret", "--statement", "s.txt")
    assert seen.code == 0, seen.err
    return office


def words(text):
    return " ".join(text.split())


def record():
    return json.loads(Path("r.json").read_text())


def rows():
    return list(csv.DictReader(Path("r.csv").read_text().splitlines()))


def test_names_and_sizes_are_published_sorted_and_counts_are_noisy(released):
    assert [(row["area"], int(row["size"])) for row in rows()] == [(a, n) for a, (n, _) in sorted(office.truth.items())]
    assert all(0 <= int(row["released"]) <= int(row["size"]) for row in rows())
    assert list(rows()[0]) == ["area", "size", "released"]


def test_the_record_says_what_was_done(released):
    found = record()
    assert (found["format"], found["column"], found["group"]) == ("mechdesign-release/4", "poor", "area")
    assert found["unit"] == {"name": "household", "column": "id"}
    assert found["privacy"]["alpha"] == "2/3"
    assert 0.4054651081081644 <= found["privacy"]["epsilon"] < 0.40546510810816450
    assert [(one["n"], one["groups"]) for one in found["sizes"]] == [(n, 5) for n in range(1, 6)]
    assert (found["groups"], found["units"]) == (25, 75)
    assert found["output"]["sha256"] == hashlib.sha256(Path("r.csv").read_bytes()).hexdigest()
    assert [design["problem"]["n"] for design in found["designs"]] == [1, 2, 3, 4, 5]
    assert all(design["problem"]["properties"] == ["WH", "RM", "CM"] for design in found["designs"])


def test_the_input_is_bound_by_a_secret_key_alone(released):
    data, key = Path("people.csv").read_bytes(), bytes.fromhex(Path("secret").read_text())
    assert record()["input"] == {"hmac_sha256": hmac.new(key, data, hashlib.sha256).hexdigest()}
    assert stat.S_IMODE(Path("secret").stat().st_mode) == 0o600
    assert hashlib.sha256(data).hexdigest() not in Path("r.json").read_text()
    assert Path("secret").read_text().strip() not in Path("r.json").read_text() + Path("s.txt").read_text()
    for name in ("people.csv", os.getcwd()):
        assert name not in Path("r.json").read_text()


def test_the_statement_names_everything(released):
    text = words(Path("s.txt").read_text())
    for phrase in (
        "25 counts were released, each with epsilon = 0.405466",
        "one household's answer",
        "names and the sizes of all groups are published exactly",
        "no name stands twice in the column id",
        "for each size (1..5) a design of its own, with the properties WH, RM, CM and the least loss L1",
        "proved optimal. Of all that are as good at this alpha, for n = 1..5 one with the least loss L2, prior "
        "uniform; no other mechanism at this alpha that equals its rotation has these scores. Distance from the true "
        "count, whatever that is. For groups of n = 1 (smallest): within ",
        record()["output"]["sha256"],
        record()["designs_sha256"],
        record()["input"]["hmac_sha256"],
        f"by mechdesign {record()['version']}",
        record()["date"],
    ):
        assert phrase in text
    assert Path("s.txt").read_text() == wrapped(record()["statement"]) == wrapped(statement(read_record("r.json")))


def test_check_proves_all_of_it(released):
    seen = released("check", "r.json")
    assert seen.code == 0
    assert "all 5 designs are private, and as good as said" in seen.out
    assert "25 groups of 75 units in all" in words(seen.out)
    seen = released("check", "r.csv", "--record", "r.json", "--input", "people.csv", "--key", "secret", "--json")
    assert seen.code == 0
    claims = [claim["claim"] for claim in json.loads(seen.out)["claims"]]
    assert "the output has the record's digest" in claims
    assert "the input is that of the record, by its HMAC-SHA256" in claims


def test_another_output_or_input_is_false(released):
    lines = Path("r.csv").read_text().splitlines(keepends=True)
    flipped = lines[1].replace(",1,0", ",1,9").replace(",1,1", ",1,0").replace(",1,9", ",1,1")
    Path("other.csv").write_text("".join([lines[0], flipped, *lines[2:]]))
    Path("short.csv").write_text("".join(lines[:-1]))
    Path("high.csv").write_text(lines[0] + "area 0000,1,2\n")
    Path("wide.csv").write_text("a,b\n1,1\n")
    for name, claim in (
        ("other.csv", "digest"),
        ("short.csv", "as many groups of each size"),
        ("high.csv", "in 0..n (that of row 1 is above its size)"),
        ("wide.csv", "has the record's columns (it has 'a, b')"),
    ):
        seen = released("check", name, "--record", "r.json")
        assert (seen.code, claim in words(seen.out)) == (1, True)
        assert released("estimate", name, "--record", "r.json").code == 1
    Path("people.csv").write_text(Path("people.csv").read_text() + "\n")
    assert released("check", "r.json", "--input", "people.csv", "--key", "secret").code == 1


def test_estimate_takes_all_sizes_at_once(released):
    seen = released("estimate", "r.csv", "--record", "r.json", "-o", "sizes.csv", "--json")
    assert (seen.code, seen.err) == (0, "wrote sizes.csv\n")
    found = json.loads(seen.out)
    assert (found["format"], found["groups"], found["units"]) == ("mechdesign-estimate/1", 25, 75)
    assert found["total"]["value"] == pytest.approx(75 * found["share"]["value"])
    assert 0 <= found["total"]["low"] <= found["total"]["high"] <= 75
    assert [one["n"] for one in found["sizes"]] == [1, 2, 3, 4, 5]
    assert len(Path("sizes.csv").read_text().splitlines()) == 6
    text = words(released("estimate", "r.csv", "--record", "r.json").out)
    assert "total" in text
    assert "95 % interval" in text
    assert "beta-binomial" in text
    assert "n = 1, 5 groups: " in text


def test_a_singular_design_is_said(office):
    Path("counts.csv").write_text("size,c\n" + "2,1\n3,2\n" * 4)
    asked = ("--input", "counts.csv", "--column", "c", "--size", "size", "--alpha", "0.9")
    assert office("release", *asked, "--props", "none", "--loss", "L2", "-o", "f.csv", "--record", "f.json").code == 0
    found = json.loads(office("estimate", "f.csv", "--record", "f.json", "--json").out)
    assert (found["singular"], found["total"]) == ([2, 3], None)
    text = words(office("estimate", "f.csv", "--record", "f.json").out)
    assert "no unbiased estimate exists: the designs for n = 2..3 are singular" in text
    assert "n = 2, 4 groups: cannot be told" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (set_in("designs", 1, "weights", 0, 0, value="1"), 1, "n = 2: "),
        (set_in("designs", 1, "score", "exact", value="1/2"), 1, "n = 2: the score is 1/2"),
        (set_in("designs", 1, "status", value="certified"), 1, "n = 2: "),
        (set_in("designs", 1, "version", value="9"), 1, "n = 2: the digest of the design"),
        (set_in("privacy", "alpha", value="3/4"), 1, "the design keeps the record's alpha"),
        (set_in("privacy", "epsilon", value=0.40546), 1, "epsilon is -ln(alpha), rounded up"),
        (set_in("groups", value=26), 1, "there are 26 groups"),
        (set_in("units", value=1), 1, "there are 1 units"),
        (set_in("sizes", 0, "groups", value=6), 1, "there are 25 groups"),
        (set_in("designs_sha256", value="0" * 64), 1, "designs_sha256"),
        (set_in("unit", "column", value=None), 1, "the statement is the one that follows"),
        (set_in("column", value="rich"), 1, "the statement is the one that follows"),
        (set_in("date", value="2020-01-01"), 1, "the statement is the one that follows"),
        (set_in("simulation", value=True), 1, "the statement is the one that follows"),
        (set_in("statement", value="all is well"), 1, "the statement is the one that follows"),
        (set_in("statement", value=""), 2, "statement must be a text that is not empty"),
        (set_in("output", "size_column", value=None), 1, "have a column of sizes"),
        (set_in("output", "columns", value=["area", "size", "poor"]), 1, "released counts are the last column"),
        (set_in("x", value={"anything": [1]}), 0, ""),
        (set_in("note", value=1), 2, "must have no other keys than those of FORMAT.md, got 'note'"),
        (set_in("unit", "more", value=1), 2, "unit must have no other keys than those of FORMAT.md, got 'more'"),
        (set_in("groups", value="25"), 2, "groups must be a whole number"),
        (set_in("groups", value=True), 2, "groups must be a whole number"),
        (set_in("simulation", value=0), 2, "must be true or false"),
        (set_in("date", value="20.11.2026"), 2, "date must be a day"),
        (set_in("output", "sha256", value="ABC"), 2, "64 hexadecimal digits"),
        (set_in("output", "columns", value=[1]), 2, "columns must be a text, got 1"),
        (set_in("sizes", 0, "n", value=7), 2, "design for n = 7 must be for counts 0..7"),
        (set_in("sizes", 4, "n", value=7), 2, "design for n = 7 must be for counts 0..7"),
        (set_in("sizes", value=[]), 2, "designs must have 0 entries, got 5"),
        (set_in("designs", 0, value={"denominator": "1", "weights": [["1"]]}), 2, "design document"),
        (set_in("format", value="mechdesign-release/5"), 2, "file must be a release record (format"),
        (lambda data: data.pop("input"), 2, "must have the key 'input'"),
    ],
)
def test_tampered_records(released, change, code, message):
    data = record()
    change(data)
    Path("t.json").write_text(json.dumps(data))
    seen = released("check", "t.json")
    assert (seen.code, message in words(seen.out + seen.err)) == (code, True), seen.out + seen.err
    assert code != 1 or "FALSE" in seen.out
    if code == 1:
        with refused(RefusedError):
            read_record("t.json")


def test_duplicate_keys_are_refused(released):
    Path("t.json").write_text(Path("r.json").read_text().replace('"groups": 25,', '"groups": 25,\n"groups": 25,', 1))
    assert released("check", "t.json").code == 2


@pytest.mark.parametrize(
    "options",
    [
        ("--bit", "poor"),
        ("--unit-column", "id", "--column", "poor"),
        (*COUNTED, "--column", "poor"),
        (*COUNTED, "--keep-true"),
        (*COUNTED, "--target", "sex"),
        (*COUNTED, "--unit", " "),
        (*COUNTED, "--unit-column", "area"),
        (*COUNTED, "--record", "r.csv"),
        (*COUNTED, "--key", "r.csv"),
        (*COUNTED, "--key", "people.csv"),
        (*COUNTED, "--key", "open.key"),
        (*COUNTED, "--key", "bad.key"),
        ("--column", "poor"),
        ("--bit", "id", "--group", "area"),
        ("--bit", "poor", "--group", "town"),
        ("--category", "poor=0/1"),
        ("--category", "poor=0/1", *COUNTED),
        ("--category", "poor=0/1", "--group", "area", "--keep-true"),
        ("--category", "poor", "--group", "area"),
        ("--category", "poor=0/2", "--group", "area"),
    ],
)
def test_bad_requests(office, options):
    for name, mode in (("open.key", 0o644), ("bad.key", 0o600)):
        Path(name).write_text("0" * 64 if mode == 0o644 else "x")
        Path(name).chmod(mode)
    before = sorted(os.listdir())
    seen = office("release", "--input", "people.csv", "--alpha", "0.9", "-o", "r.csv", *options)
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    check_wording(seen.err)
    assert sorted(os.listdir()) == before


def test_a_group_called_size_is_refused(office):
    Path("p.csv").write_text("size,poor\na,1\n")
    seen = office("release", "--input", "p.csv", "--bit", "poor", "--group", "size", "--alpha", "0.9", "-o", "r.csv")
    assert seen.code == 2
    check_wording(seen.err)


def test_byte_marks_and_quoted_line_ends_in_other_columns_are_read(office):
    Path("p.csv").write_text('\ufeffarea,poor,note\na,1,"two\nlines"\na,0,""\n', encoding="utf-8")
    assert office("release", "--input", "p.csv", *COUNTED, "--alpha", "0.9", "-o", "r.csv").code == 0
    assert rows()[0]["size"] == "2"


def test_a_data_set_gets_the_usual_design_and_a_record(office):
    seen = office("release", "--data", "saxony", "--alpha", "0.9", "-o", "s.csv", "--record", "s.json")
    assert (seen.code, "properties WH, RM, CM" in words(seen.err)) == (0, True)
    assert office("check", "s.csv", "--record", "s.json").code == 0
    assert office("estimate", "s.csv", "--record", "s.json").code == 0


def test_a_design_file_keeps_its_proof_in_the_record_and_a_plain_matrix_has_none(office):
    office("solve", "--n", 12, "--alpha", "0.9", "-o", "gm.json")
    seen = office("release", "--data", "saxony", "--mechanism", "gm.json", "-o", "s.csv", "--record", "s.json")
    assert (seen.code, "with no properties and" in words(seen.err)) == (0, True)
    assert json.loads(Path("s.json").read_text())["designs"][0] == json.loads(Path("gm.json").read_text())
    assert office("check", "s.csv", "--record", "s.json").code == 0
    Path("plain.csv").write_text("1/2,1/3\n1/2,2/3\n")
    Path("c.csv").write_text("c\n0\n1\n")
    asked = ("release", "--input", "c.csv", "--mechanism", "plain.csv", "-o", "p.csv")
    check_wording(office(*asked, "--record", "p.json").err)
    assert office(*asked).code == 0


def test_a_design_that_claims_what_is_false_releases_nothing(office):
    office("solve", "--n", 12, "--alpha", "0.9", "-o", "gm.json")
    Path("gm.json").write_text(Path("gm.json").read_text().replace('"status": "exact"', '"status": "certified"'))
    seen = office("release", "--data", "saxony", "--mechanism", "gm.json", "-o", "s.csv")
    assert seen.code == 1
    check_wording(seen.err)
    assert not Path("s.csv").exists()


def test_without_a_record_it_is_said_that_the_designs_are_lost(office):
    seen = office("release", *HOUSEHOLDS, "--alpha", "0.9", "-o", "r.csv")
    assert (seen.code, "neither checked nor estimated from later" in seen.err) == (0, True)


def test_a_key_need_only_be_read(office):
    Path("secret").write_text("5" * 64)
    Path("secret").chmod(0o400)
    assert office(*RELEASE, "--key", "secret").code == 0
    assert office("check", "r.json", "--input", "people.csv", "--key", "secret").code == 0


def test_simulations_are_marked_in_the_record(office):
    assert office(*RELEASE, "--seed", 3).code == 0
    assert record()["simulation"] is True
    assert "SIMULATION" in record()["statement"]
    assert "SIMULATION" in office("check", "r.json").out


def test_from_python(office):
    unit = {"unit": "household", "unit_column": "id"}
    made = release_file("people.csv", "r.csv", record="r.json", bit="poor", group="area", alpha="2/3", **unit)
    assert made == read_record("r.json")
    assert "25 groups" in repr(made)
    assert all(claim.true and isinstance(claim, Claim) for claim in check_release("r.json", "r.csv"))


FULL = """
import resource, sys
from mechdesign_cli.app import run
resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.slow
def test_a_full_disk_leaves_nothing(office):
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    before = sorted(os.listdir())
    ran = subprocess.run([sys.executable, "-c", FULL, *RELEASE], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1), ran.stderr
    assert "output could not be written" in ran.stderr
    assert sorted(os.listdir()) == before


def test_names_like_formulas_are_published_and_said(office):
    Path("f.csv").write_text("area,poor\n=cmd|x,1\n=cmd|x,0\n-5,1\n+3.5,0\n@home,0\n- north,0\n")
    seen = office("release", "--input", "f.csv", *COUNTED, "--alpha", "1/2", "-o", "r.csv")
    assert (seen.code, seen.err.count("open the output as text")) == (0, 1)
    assert "3 names begin like a spreadsheet formula (- north), published as they are" in seen.err
    assert "=cmd|x,2," in Path("r.csv").read_text()
    Path("f.csv").write_text("area,poor\n-5,1\nA-1,0\n")
    seen = office("release", "--input", "f.csv", *COUNTED, "--alpha", "1/2", "-o", "plain.csv")
    assert (seen.code, "formula" in seen.err) == (0, False)


def test_a_column_of_two_texts_is_released(mechdesign):
    write_people("people.csv", areas=6, largest=3)
    text = Path("people.csv").read_text().replace(",1\n", ",yes\n").replace(",0\n", ",no\n")
    Path("people.csv").write_text(text)
    ask = ("release", "--input", "people.csv", "--group", "area", "--alpha", "0.9", "-o", "r.csv", "--record", "r.json")
    refused = mechdesign(*ask, "--bit", "poor")
    assert refused.code == 2
    assert refused.err.endswith("the counted one first: --bit poor=yes/no\n")
    assert not Path("r.csv").exists()
    assert mechdesign(*ask, "--bit", "poor=yes/no", "-q").code == 0
    assert json.loads(Path("r.json").read_text())["column"] == "poor=yes"
    assert "The counts are of poor=yes, one for each area." in mechdesign(*ask, "--bit", "poor=yes/no").err.replace(
        "\n", " "
    )
    assert "is replaced" in mechdesign(*ask, "--bit", "poor=no/yes", "--replace").err  # another release
    assert json.loads(Path("r.json").read_text())["column"] == "poor=no"


def asked(confidence):
    files = ("-o", "i.csv", "--record", "i.json", "--key", "secret")
    return ("release", *HOUSEHOLDS, "--alpha", "2/3", *files, "--intervals", confidence)


def test_intervals_stand_beside_every_count(released):
    assert released(*asked("0.95"), "-q").code == 0
    os.replace("i.csv", "r.csv")
    os.replace("i.json", "r.json")
    header, *found = csv.reader(Path("r.csv").read_text().splitlines())
    assert header == ["area", "size", "released", "low", "high", "low_all", "high_all"]
    for _, size, _, *ends in found:
        low, high, low_all, high_all = map(int, ends)
        assert 0 <= low_all <= low <= high <= high_all <= int(size)
    data = record()
    assert (data["format"], data["intervals"]) == ("mechdesign-release/4", {"confidence": "19/20"})
    assert "hold the true count of their group with a chance of at least 0.95, whatever it is." in data["statement"]
    assert released("check", "r.csv", "--record", "r.json").code == 0
    os.replace("r.csv", "i.csv")
    os.replace("r.json", "i.json")
    before = Path("i.csv").read_bytes(), Path("i.json").read_bytes()
    assert "already: nothing was drawn" in released(*asked("19/20")).err
    assert (Path("i.csv").read_bytes(), Path("i.json").read_bytes()) == before


@pytest.mark.parametrize("wrong", ["0", "1", "95", "x", "nan", "-0.5"])
def test_intervals_need_a_confidence(released, wrong):
    seen = released(*asked(wrong))
    assert (seen.code, seen.out, Path("i.csv").exists()) == (2, "", False)
    check_wording(seen.err)


NAMED = ("release", "--input", "people.csv", *COUNTED, "-o", "n.csv", "--record", "n.json")


@pytest.mark.parametrize(
    ("name", "asked", "properties", "loss"),
    [
        ("GM", ("--epsilon", "1"), [], "L0"),
        ("em", ("--alpha", "3/4"), ["F"], "L0"),
        ("EXP", ("--epsilon", "1"), [], "L0"),
        ("WM", ("--alpha", "9/10"), ["WH", "RM", "CM"], "L0"),
        ("design:WH:L2", ("--alpha", "9/10"), ["WH"], "L2"),
    ],
)
def test_a_name_of_the_catalog_takes_each_size(office, name, asked, properties, loss):
    assert office(*NAMED, "--mechanism", name, *asked, "-q").code == 0
    data = json.loads(Path("n.json").read_text())
    assert len(data["designs"]) == 5
    for design in data["designs"]:
        problem = design["problem"]
        assert (problem["properties"], problem["loss"]) == (properties, loss)
        if name.upper() in ("GM", "EM", "EXP"):
            alpha = problem["alpha"]
            made = make_mechanism(name, problem["n"], alpha)
            rows = [[int(weight) for weight in row] for row in design["weights"]]
            assert Mechanism(tuple(map(tuple, rows)), int(design["denominator"])) == made
    assert office("check", "n.csv", "--record", "n.json").code == 0
    assert "nothing was drawn" in office(*NAMED, "--mechanism", name, *asked).err
    if name == "EXP":  # for the same problem as GM
        assert "is replaced" in office(*NAMED, "--mechanism", "GM", *asked, "--replace").err


@pytest.mark.parametrize(
    "options",
    [
        ("--mechanism", "GM"),
        ("--mechanism", "GN", "--epsilon", "1"),
        ("--mechanism", "GM", "--epsilon", "1", "--props", "WH"),
        ("--mechanism", "d.json", "--epsilon", "1", "--props", "WH", "--loss", "L1"),
    ],
)
def test_a_mechanism_that_is_fixed_goes_without_design_options(office, options):
    seen = office(*NAMED, *options)
    assert (seen.code, Path("n.csv").exists()) == (2, False)
    check_wording(seen.err)


def test_intervals_of_groups_come_later_too(released):
    seen = released("estimate", "r.csv", "--record", "r.json", "--by-group", "--confidence", "0.9")
    header, *found = csv.reader(seen.out.splitlines())
    assert (seen.code, header) == (0, ["group", "size", "released", "low", "high", "low_all", "high_all"])
    assert [row[:3] for row in found] == [list(row.values()) for row in rows()]
    assert released("estimate", "r.csv", "--record", "r.json", "--by-group", "-o", "g.csv").err == "wrote g.csv\n"


@pytest.fixture
def regions(mechdesign):
    homes = [(f"{'north' if k % 3 else 'south'}", f"area {k // 4}", k % 2) for k in range(40)]
    lines = (",".join(map(str, home)) for home in homes)
    Path("p.csv").write_text("\n".join(["region,area,poor", *lines]) + "\n")
    return mechdesign


MADE = ("release", "--input", "p.csv", "-o", "r.csv", "--record", "r.json")
IN_REGIONS = (*MADE, "--bit", "poor", "--group", "region,area")


def test_totals_of_regions(regions):
    seen = regions(*IN_REGIONS, "--epsilon", "1")
    assert (seen.code, "one for each area in each region" in words(seen.err)) == (0, True)
    assert regions("check", "r.csv", "--record", "r.json").code == 0
    asked = ("estimate", "r.csv", "--record", "r.json")
    found = json.loads(regions(*asked, "--json").out)["regions"]
    assert [(one["name"], one["units"]) for one in found] == [("north", 26), ("south", 14)]
    assert "north, 10 groups of 26 units: " in words(regions(*asked).out)
    seen = regions(*asked, "--by-region")
    rows = list(csv.DictReader(seen.out.splitlines()))
    assert (seen.code, seen.err) == (0, "")
    for row, one in zip(rows, found, strict=True):
        assert (row["region"], int(row["groups"]), int(row["units"])) == (one["name"], one["groups"], one["units"])
        for what in ("total", "share"):
            cells = [float(row[f"{what}{end}"]) for end in ("", "_standard_error", "_low", "_high")]
            assert cells == list(one[what].values())
    assert regions(*asked, "--by-region", "-o", "t.csv").err == "wrote t.csv\n"
    assert regions(*asked, "--by-group").out.startswith("region,group,size,released,")
    assert regions("report", "r.json", "--released", "r.csv", "-o", "r.html").code == 0
    assert "The number counted in each region, as estimated from its groups" in Path("r.html").read_text()


@pytest.fixture
def matrices(monkeypatch):
    """Matrices in place of a law, also where they are large."""
    monkeypatch.setattr("mechdesign.releases.designing.MATRIX_ENTRIES", 100_000)


@pytest.mark.usefixtures("matrices")
def test_an_estimate_that_is_not_computed_is_not_said_to_be_missing(office):
    Path("counts.csv").write_text("size,c\n200,3\n200,180\n")
    asked = ("--input", "counts.csv", "--column", "c", "--size", "size", "--alpha", "0.5", "--props", "none")
    assert office("release", *asked, "--loss", "L0", "-o", "f.csv", "--record", "f.json").code == 0
    found = json.loads(office("estimate", "f.csv", "--record", "f.json", "--json").out)
    assert (found["singular"], found["unsolved"], found["total"]) == ([], [200], None)
    text = words(office("estimate", "f.csv", "--record", "f.json").out)
    assert "no unbiased estimate is computed for n = 200, though one may exist: a matrix is solved up to" in text
    assert "no unbiased estimate exists" not in text


@pytest.mark.usefixtures("matrices")
def test_a_large_matrix_of_the_fair_mechanism_has_totals(office):
    Path("counts.csv").write_text("size,c\n200,3\n200,180\n")
    asked = ("--input", "counts.csv", "--column", "c", "--size", "size", "--alpha", "0.9", "--props", "F")
    assert office("release", *asked, "--loss", "L0", "-o", "f.csv", "--record", "f.json").code == 0
    assert "law" not in json.loads(Path("f.json").read_text())
    found = json.loads(office("estimate", "f.csv", "--record", "f.json", "--json").out)
    assert (found["singular"], found["unsolved"], found["total"] is None) == ([], [], False)


def test_regions_without_an_inverse_have_no_total_and_what_serves_is_named(regions):
    asked = ("--alpha", "0.9", "--props", "none", "--loss", "L2")
    assert regions(*IN_REGIONS, *asked).code == 0
    seen = regions("estimate", "r.csv", "--record", "r.json", "--by-region")
    assert seen.code == 0
    check_wording(seen.err)
    assert [row["total"] for row in csv.DictReader(seen.out.splitlines())] == ["", ""]
    text = words(regions("estimate", "r.csv", "--record", "r.json").out)
    assert "north, 10 groups of 26 units: cannot be told, no unbiased estimate" in text
    assert regions("report", "r.json", "--released", "r.csv", "-o", "r.html").code == 0
    assert "Where there is no total, a group has no unbiased estimate" in Path("r.html").read_text()


def test_a_category_has_a_count_for_each_value(regions):
    text = Path("p.csv").read_text()
    Path("p.csv").write_text(text.replace(",0\n", ",none\n").replace(",1\n", ",some\n"))
    asked = (*MADE, "--category", "poor=none/some/much", "--group", "area")
    assert regions("ledger", "new", "l.db", "--budget", "1").code == 0
    seen = regions(*asked, "--epsilon", "1", "--dry-run")
    assert (seen.code, "epsilon = 1," in words(seen.out)) == (0, True)
    seen = regions(*asked, "--epsilon", "1", "--ledger", "l.db", "--dataset", "d")
    assert (seen.code, "30 counts were released, 3 of each group" in words(seen.err)) == (0, True), seen.err
    assert regions("check", "r.csv", "--record", "r.json").code == 0
    assert [row["poor"] for row in rows()] == ["none", "some", "much"] * 10
    seen = regions("estimate", "r.csv", "--record", "r.json", "--value", "some", "--json")
    assert (seen.code, json.loads(seen.out)["units"]) == (0, 40)
    for options in ((), ("--value", "few"), ("--value", "some", "--by-group")):
        seen = regions("estimate", "r.csv", "--record", "r.json", *options)
        assert (seen.code, seen.err.count("\n")) == (2, 1)
        check_wording(seen.err)
    assert regions("estimate", "r.csv", "--record", "r.json", "--by-group").out.startswith("group,value,size,released")
    assert regions("report", "r.json", "--released", "r.csv", "-o", "r.html").code == 0
    assert "So are the values that were counted: none, some, much." in Path("r.html").read_text()


@pytest.mark.parametrize(
    "options",
    [
        ("--by-region", "--json", "--record", "r.json"),
        ("--by-region", "--by-group", "--record", "r.json"),
        ("--by-region", "--mechanism", "m.json"),
        ("--by-region", "--record", "r.json"),
        ("--by-group", "--json", "--record", "r.json"),
        ("--by-group", "--mechanism", "m.json"),
    ],
)
def test_estimates_that_are_refused(released, options):
    seen = released("estimate", "r.csv", *options)
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    check_wording(seen.err)


def test_a_page_for_a_board(released):
    assert released("report", "r.json", "--released", "r.csv", "-o", "r.html").err == "wrote r.html\n"
    assert "What is promised" in Path("r.html").read_text()
    seen = released("report", "r.json")
    assert (seen.code, "protected  one household" in words(seen.out).replace("protected ", "protected  ")) == (0, True)
    found = json.loads(released("report", "r.json", "--json").out)
    assert (found["kind"], found["title"]) == ("release", "Released counts of poor by area")
    for wrong in (
        ("r.json", "-o", "r.png"),
        ("r.json", "--prices"),
        ("r.json", "--released", "people.csv", "-o", "x.html"),
    ):
        refused = released("report", *wrong)
        assert refused.code in (1, 2)
        check_wording(refused.err)


def dry(mechanism_run, *options):
    seen = mechanism_run(
        "release", *HOUSEHOLDS, "-o", "d.csv", "--record", "d.json", "--key", "d.key", *options, "--dry-run"
    )
    assert not [path.name for path in Path().iterdir() if path.name.startswith("d.")]
    return seen


def test_a_dry_run_draws_and_writes_nothing(office):
    seen = dry(office, "--epsilon", "1", "--intervals", "0.95")
    assert (seen.code, "nothing was drawn, written or spent" in words(seen.out)) == (0, True)
    assert "25 of 75 units in all, sizes 1..5" in words(seen.out)
    told = int(re.search(r"about ([0-9,]+) bytes", words(seen.out))[1].replace(",", ""))
    ask = ("release", *HOUSEHOLDS, "--epsilon", "1", "--intervals", "0.95", "-o", "r.csv", "--record", "r.json")
    assert office(*ask, "--key", "k").code == 0
    assert told == pytest.approx(Path("r.json").stat().st_size, rel=0.02)


def test_a_dry_run_spends_nothing_and_tells_what_is_left(office):
    assert office("ledger", "new", "l.db", "--unit", "household", "--budget", "1.5").code == 0
    paid = ("--ledger", "l.db", "--dataset", "homes")
    assert dry(office, "--epsilon", "1", *paid).code == 0
    assert dry(office, "--epsilon", "2", *paid).code == 1
    assert "homes" not in office("ledger", "list", "l.db").out


def test_a_release_beyond_what_can_be_done_is_told(mechdesign):
    Path("big.csv").write_text("n,c\n300,3\n1200,4\n")
    ask = ("--input", "big.csv", "--column", "c", "--size", "n", "-o", "d.csv", "--record", "d.json")
    seen = mechdesign("release", *ask, "--epsilon", "1", "--props", "F", "--dry-run")
    assert (seen.code, "this cannot be done: its record would have more than 2^28" in words(seen.out)) == (1, True)


@pytest.mark.parametrize(
    ("asked", "bound"), [(("--size", "n", "--alpha", "1/2"), "its size"), (("--mechanism", "m.json"), "n = 2")]
)
def test_a_dry_run_refuses_what_the_run_refuses(mechdesign, asked, bound):
    assert mechdesign("solve", "--n", 2, "--alpha", "0.5", "-o", "m.json").code == 0
    Path("c.csv").write_text("n,c\n2,2\n2,3\n")
    ask = ("release", "--input", "c.csv", "--column", "c", *asked, "-o", "d.csv")
    dry, real = mechdesign(*ask, "--dry-run"), mechdesign(*ask)
    assert (dry.code, dry.err) == (real.code, real.err.splitlines(keepends=True)[-1])
    assert (dry.code, f"count must be at most {bound}" in dry.err.replace("the mechanism's ", "")) == (2, True)
    check_wording(dry.err)
    assert not Path("d.csv").exists()


def test_an_interrupted_release_with_intervals_is_published_as_it_was_drawn(released):
    assert released(*asked("0.95"), "-q").code == 0
    before = Path("i.csv").read_bytes(), Path("i.json").read_bytes()
    for name in ("i.csv", "i.json"):
        os.replace(name, f"{name}.unfinished")
    refused = released(*asked("0.9"))
    assert (refused.code, "another confidence" in refused.err) == (2, True)
    seen = released(*asked("0.95"))
    assert (seen.code, "nothing was drawn anew" in seen.err) == (0, True)
    assert (Path("i.csv").read_bytes(), Path("i.json").read_bytes()) == before


def test_the_parts_of_the_chance_add_up_to_all_of_it(released):
    lines = released("estimate", "r.csv", "--record", "r.json").out.splitlines()
    parts = [line.split(":")[0] for line in lines if line.startswith("chance ")]
    assert parts == [f"chance {k / 10:.1f} to {(k + 1) / 10:.1f}" for k in range(10)]
