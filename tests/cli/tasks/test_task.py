"""`mechdesign local task new` and `task show`: a task is settled, written, checked and said in words."""

import itertools
import json
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.states.delivered_sums import sums_csv


@pytest.fixture
def domain(mechdesign):
    Path("d.txt").write_text("Cork\nGalway\nDerry\n")


def test_a_task_is_made_and_shown(mechdesign, domain):
    made = mechdesign("local", "task", "new", "--oracle", "grr", "--alpha", "1/4", "--domain", "d.txt", "-o", "t.json")
    document = json.loads(Path("t.json").read_text())
    digest = document["sha256"]
    assert (made.code, made.out) == (0, "")
    assert made.err == (f"wrote t.json\ntask {digest[:16]} of grr: a report is 1.3863-LDP by itself\n")
    shown = mechdesign("local", "task", "show", "t.json")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.splitlines()[:4] == [
        f"task {digest}",
        "oracle: grr (k=3, privacy=alpha=1/4)",
        "privacy: 1.3863-LDP for each report by itself (claimed: alpha = 0.25 (epsilon = 1.3863))",
        "about: one of 3 items, listed here",
    ]
    assert document["constants"] == {"alpha": "1/4", "p": "2/3", "q": "1/6"}
    assert json.loads(mechdesign("local", "task", "show", "t.json", "--json").out) == document
    again = mechdesign(
        "local", "task", "new", "--oracle", "grr", "--alpha", "1/4", "--domain", "d.txt", "-o", "u.json", "--json"
    )
    assert json.loads(again.out) == document


@pytest.mark.parametrize(
    ("words", "about"),
    [
        ("--oracle hh --bins 0:12:3", "one of 4 bins (0:12:3), in order"),
        ("--oracle hh2 --bins 0:12:3 --bins 0:8:2", "one of 16 bins (0:12:3 by 0:8:2)"),
        ("--oracle grr --domain d.txt --ordered", "one of 3 items, listed here, in order"),
        ("--oracle onebitmean --maximum 24", "a number in 0..24"),
        ("--oracle inpht:k=2 --domain a.csv", "an item of each of 3 attributes: cc, tip, toll"),
        ("--oracle inpht:k=2 --domain a.csv --columns toll,cc", "an item of each of 2 attributes: toll, cc"),
    ],
    ids=["bins", "pairs", "ordered", "numbers", "attributes", "some attributes"],
)
def test_what_a_task_is_about(mechdesign, domain, words, about):
    Path("a.csv").write_text("column,item\n" + "".join(f"{n},{i}\n" for n in ("cc", "tip", "toll") for i in ("n", "y")))
    assert mechdesign("local", "task", "new", *words.split(), "--epsilon", 1, "-o", "t.json").code == 0
    assert mechdesign("local", "task", "show", "t.json").out.splitlines()[3] == f"about: {about}"


@pytest.mark.parametrize(
    "words",
    [
        "--oracle grr --epsilon 1 --k 3 -o t.txt",
        "--oracle grr --epsilon 1 --domain d.txt -o d.txt",
        "--oracle grr --k 3 -o t.json",
        "--oracle gr --epsilon 1 --k 3 -o t.json",
        "--oracle grr --epsilon 1 --k 3 --domain d.txt -o t.json",
        "--oracle grr --epsilon 1 --k x -o t.json",
    ],
    ids=["suffix", "other suffix", "no privacy", "oracle", "k and domain", "no number"],
)
def test_bad_input_is_one_line(mechdesign, domain, words):
    seen = mechdesign("local", "task", "new", *words.split())
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert seen.err.count("\n") == 1
    assert not Path("t.json").exists()


@pytest.fixture
def task(mechdesign, domain):
    assert (
        mechdesign("local", "task", "new", "--oracle", "oue", "--epsilon", 2, "--domain", "d.txt", "-o", "t.json").code
        == 0
    )
    Path("v.csv").write_text("city\n" + "Cork\nDerry\nCork\n" * 100)
    Path("other.txt").write_text("Cork\nGalway\nNaas\n")
    return "t.json"


def test_a_task_is_privatized_and_aggregated(mechdesign, task):
    made = mechdesign("local", "privatize", "--task", task, "--input", "v.csv", "-o", "r.parquet", "--json")
    assert made.code == 0
    assert json.loads(made.out)["parameters"] == json.loads(Path(task).read_text())["parameters"]
    assert mechdesign("local", "aggregate", "r.parquet", "-o", "e.csv").code == 0
    assert [line.partition(",")[0] for line in Path("e.csv").read_text().splitlines()] == [
        "item", "Cork", "Galway", "Derry",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        "--oracle oue",
        "--epsilon 1",
        "--bins 0:3:1",
        "--ordered",
        "--maximum 3",
        "--columns city,town",
        "--beyond clip",
        "--domain other.txt",
    ],
    ids=["oracle", "epsilon", "bins", "ordered", "maximum", "columns", "beyond", "domain"],
)
def test_a_task_says_all_but_the_values(mechdesign, task, words):
    seen = mechdesign("local", "privatize", "--task", task, "--input", "v.csv", "-o", "r.parquet", *words.split())
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert not Path("r.parquet").exists()


def test_neither_oracle_nor_task(mechdesign, task):
    seen = mechdesign("local", "privatize", "--input", "v.csv", "-o", "r.parquet", "--domain", "d.txt", "--epsilon", 1)
    assert seen.code == 2
    check_wording(seen.err)  # fmt: skip


def test_messages_are_received(mechdesign, task):
    Path("m.txt").write_text("03\n05\n00\n")
    seen = mechdesign("local", "task", "receive", "m.txt", "--task", task, "-o", "r.parquet")
    assert (seen.code, seen.out, seen.err) == (0, "", "wrote r.parquet\n3 reports\n")
    again = mechdesign("local", "task", "receive", "m.txt", "--task", task, "-o", "again.parquet", "--batch", "tuesday")
    assert again.code == 0
    both = mechdesign("local", "aggregate", "r.parquet", "again.parquet")
    assert both.out.startswith("6 reports of oue, 3 items")
    Path("m.bin").write_bytes(bytes([3, 5, 8]))
    bad = mechdesign("local", "task", "receive", "m.bin", "--raw", "--task", task, "-o", "bad.parquet")
    assert (bad.code, bad.out) == (2, "")
    check_wording(bad.err)
    assert not Path("bad.parquet").exists()


@pytest.mark.parametrize(
    "oracle", ["grr", "design:none:L0", "hrr:t=2", "hcms:hashes=4:width=8", "dbitflip:d=2", "hh:b=2", "haar"]
)
def test_sums_alone_give_the_estimates_of_reports(mechdesign, domain, oracle):
    mechdesign("local", "task", "new", "--oracle", oracle, "--epsilon", 2, "--domain", "d.txt", "-o", "t.json")
    Path("v.csv").write_text("city\n" + "Cork\nDerry\nCork\n" * 100)
    mechdesign("local", "privatize", "--task", "t.json", "--input", "v.csv", "-o", "r.parquet")
    assert mechdesign("local", "aggregate", "r.parquet", "-o", "reports.csv", "--state", "r.state").code == 0
    Path("sums.csv").write_bytes(sums_csv(CollectionState.from_bytes(Path("r.state").read_bytes())))
    words = ("--sums", "sums.csv", "--users", 300, "--task", "t.json")
    assert mechdesign("local", "aggregate", *words, "-o", "sums_only.csv").code == 0
    assert Path("sums_only.csv").read_bytes() == Path("reports.csv").read_bytes()
    wrong = mechdesign("local", "aggregate", *words[:3], 3, *words[4:], "-o", "wrong.csv")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err.startswith("mechdesign: ")
    assert wrong.err.endswith(" in sums.csv\n")
    assert not Path("wrong.csv").exists()


def test_sums_with_a_source_are_counted_once(mechdesign):
    mechdesign("local", "task", "new", "--oracle", "grr", "--alpha", "1/4", "--k", 3, "-o", "t.json")
    Path("s.csv").write_text("place,sum\n0,3\n1,2\n2,1\n")
    words = ("local", "aggregate", "--sums", "s.csv", "--users", 6, "--task", "t.json", "--state")
    check_wording(mechdesign(*words, "unnamed.state").err)
    assert "some reports had no source" not in mechdesign(*words, "one.state", "--source", "monday").err
    assert CollectionState.from_bytes(Path("one.state").read_bytes()).has("monday")
    mechdesign(*words, "again.state", "--source", "monday")
    mechdesign(*words, "two.state", "--source", "tuesday")
    twice = mechdesign("local", "aggregate", "one.state", "again.state")
    assert (twice.code, twice.out) == (2, "")
    both = mechdesign("local", "aggregate", "one.state", "two.state", "--state", "both.state")
    assert both.code == 0
    assert CollectionState.from_bytes(Path("both.state").read_bytes()).users == 12


def test_sums_of_a_mean_and_of_attributes(mechdesign):
    mechdesign("local", "task", "new", "--oracle", "onebitmean", "--maximum", 10, "--alpha", "1/3", "-o", "mean.json")
    Path("ones.csv").write_text("place,sum\n0,50\n")
    found = mechdesign("local", "aggregate", "--sums", "ones.csv", "--users", 100, "--task", "mean.json", "--json")
    assert json.loads(found.out)["mean"] == 5
    Path("a.csv").write_text("column,item\n" + "".join(f"{name},{item}\n" for name in ("cc", "tip") for item in "ny"))
    mechdesign("local", "task", "new", "--oracle", "inpps", "--alpha", "1/4", "--domain", "a.csv", "-o", "t.json")
    Path("cells.csv").write_text("part,place,sum\nitems,0,40\nitems,1,20\nitems,2,20\nitems,3,20\n")
    words = ("--sums", "cells.csv", "--users", 100, "--task", "t.json")
    assert mechdesign("local", "marginals", *words, "--marginal", "cc,tip", "-o", "m.csv").code == 0
    rows = [line.split(",") for line in Path("m.csv").read_text().splitlines()]
    assert [row[:2] for row in rows[1:]] == [["n", "n"], ["n", "y"], ["y", "n"], ["y", "y"]]
    # p = 1/(1 + 3/4) = 4/7, q = 1/7: (2/5 - 1/7) / (3/7) = 3/5, and (1/5 - 1/7) / (3/7) = 2/15
    assert [round(float(row[2]), 9) for row in rows[1:]] == [0.6, *[round(2 / 15, 9)] * 3]


@pytest.mark.parametrize(
    "words",
    [
        "--sums s.csv --users 6",
        "--sums s.csv --task t.json",
        "--users 6 --task t.json",
        "--source monday --task t.json",
        "--sums s.csv --users 0 --task t.json",
        "--sums s.csv --users 5 --task t.json",
        "--sums none.csv --users 5 --task t.json",
        "--sums s.csv --users 6 --task s.csv",
    ],
    ids=["no task", "no users", "no sums", "no sums to name", "nobody", "too many", "no file", "no document"],
)
def test_sums_that_cannot_be_are_one_line(mechdesign, task, words):
    Path("s.csv").write_text("place,sum\n0,3\n1,6\n2,0\n")
    seen = mechdesign("local", "aggregate", *words.split())
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert seen.err.count("\n") == 1


def test_reports_of_another_task_are_refused(mechdesign, task):
    mechdesign("local", "privatize", "--task", task, "--input", "v.csv", "-o", "r.parquet")
    assert mechdesign("local", "aggregate", "r.parquet", "--task", task).code == 0
    mechdesign("local", "task", "new", "--oracle", "oue", "--epsilon", 1, "--domain", "d.txt", "-o", "other.json")
    seen = mechdesign("local", "aggregate", "r.parquet", "--task", "other.json")
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    mechdesign("local", "task", "new", "--oracle", "oue", "--epsilon", 2, "--domain", "other.txt", "-o", "other.json")
    seen = mechdesign("local", "aggregate", "r.parquet", "--task", "other.json")
    check_wording(seen.err)


def test_a_task_tells_which_column_chooses_the_oracle_of_a_message(mechdesign):
    Path("d.csv").write_text("column,item\na,x\na,y\nb,u\nb,v\nb,w\n")
    mechdesign("local", "task", "new", "--oracle", "smp", "--epsilon", 1, "--domain", "d.csv", "--output", "t.json")
    lines = mechdesign("local", "task", "show", "t.json").out.splitlines()
    told = "report: attribute (a number in 0..1, 1 byte), report (the message of the oracle that attribute chooses)"
    assert told in lines


ATTRIBUTES = "column,item\na,0\na,1\nb,x\nb,y\nb,z\nc,0\nc,1\n"

FURTHER = [
    ("hh:b=2", "ranges", ("--ranges", "asked.csv", "-o", "out.csv", "--quantiles", "0.25,0.5")),
    ("oue", "ranges", ("--quantiles", "0.5", "--simultaneous", "--plot", "out.svg")),
    ("margps:k=2", "marginals", ("--marginal", "a,b", "-o", "out.csv")),
    ("calm", "marginals", ()),
    ("inpht:k=2", "dependence", ("--association", "out.csv", "--tree", "tree.svg")),
    ("margps:k=2", "dependence", ("--association", "out.csv")),
]


@pytest.mark.parametrize(("oracle", "command", "words"), FURTHER, ids=[f"{one[1]} of {one[0]}" for one in FURTHER])
def test_sums_alone_answer_what_reports_and_states_do(mechdesign, oracle, command, words):
    ordered = command == "ranges"
    Path("asked.csv").write_text("first,last\n1,3\n0,6\n")
    Path("d.txt" if ordered else "attributes.csv").write_text("\n".join("0123456") + "\n" if ordered else ATTRIBUTES)
    Path("v.csv").write_text("a\n" + "1\n3\n4\n" * 100 if ordered else "a,b,c\n" + "0,x,1\n1,z,0\n0,y,1\n" * 100)
    domain = ("--domain", "d.txt", "--ordered") if ordered else ("--domain", "attributes.csv")
    made = mechdesign("local", "task", "new", "--oracle", oracle, "--epsilon", 4, *domain, "-o", "t.json")
    assert made.code == 0, made.err
    mechdesign("local", "privatize", "--task", "t.json", "--input", "v.csv", "-o", "r.parquet")
    assert mechdesign("local", "aggregate", "r.parquet", "--state", "r.state").code == 0
    Path("sums.csv").write_bytes(sums_csv(CollectionState.from_bytes(Path("r.state").read_bytes())))
    delivered = ("--sums", "sums.csv", "--users", 300, "--task", "t.json")
    seen = []
    for given, form in itertools.product((("r.state",), delivered), ((), ("--json",))):
        answered = mechdesign("local", command, *given, *words, *form)
        assert answered.code == 0, answered.err
        files = [path.read_bytes() for path in map(Path, ("out.csv", "out.svg", "tree.svg")) if path.exists()]
        seen.append((answered.out, files))
    assert seen[:2] == seen[2:]
    assert all(text.count("\n") > 1 for text, _ in seen)
