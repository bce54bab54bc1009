"""`mechdesign task new` and `task show`: a task is settled, written, checked and said in words."""

import json
from pathlib import Path

import pytest

from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.states.delivered_sums import sums_csv


@pytest.fixture
def domain(mechdesign):
    Path("d.txt").write_text("Cork\nGalway\nDerry\n")


def test_a_task_is_made_and_shown(mechdesign, domain):
    made = mechdesign("task", "new", "--oracle", "grr", "--alpha", "1/4", "--domain", "d.txt", "-o", "t.json")
    document = json.loads(Path("t.json").read_text())
    digest = document["sha256"]
    assert (made.code, made.out) == (0, "")
    assert made.err == (f"wrote t.json\ntask {digest[:16]} of grr: a report is 1.3863-LDP by itself\n")
    shown = mechdesign("task", "show", "t.json")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.splitlines()[:4] == [
        f"task {digest}",
        "oracle: grr (k=3, privacy=alpha=1/4)",
        "privacy: 1.3863-LDP for each report by itself (claimed: alpha = 0.25 (epsilon = 1.3863))",
        "about: one of 3 items, listed here",
    ]
    assert document["constants"] == {"alpha": "1/4", "p": "2/3", "q": "1/6"}
    assert json.loads(mechdesign("task", "show", "t.json", "--json").out) == document
    again = mechdesign(
        "task", "new", "--oracle", "grr", "--alpha", "1/4", "--domain", "d.txt", "-o", "u.json", "--json"
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
    assert mechdesign("task", "new", *words.split(), "--epsilon", 1, "-o", "t.json").code == 0
    assert mechdesign("task", "show", "t.json").out.splitlines()[3] == f"about: {about}"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--oracle grr --epsilon 1 --k 3 -o t.txt", "output must end in .json, got t.txt"),
        ("--oracle grr --epsilon 1 --domain d.txt -o d.txt", "output must end in .json, got d.txt"),
        ("--oracle grr --k 3 -o t.json", "give --alpha or --epsilon, got neither"),
        ("--oracle gr --epsilon 1 --k 3 -o t.json", "did you mean grr"),
        ("--oracle grr --epsilon 1 --k 3 --domain d.txt -o t.json", "k must be given alone"),
        ("--oracle grr --epsilon 1 --k x -o t.json", "must be a whole number"),
    ],
    ids=["suffix", "other suffix", "no privacy", "oracle", "k and domain", "no number"],
)
def test_bad_input_is_one_line(mechdesign, domain, words, said):
    seen = mechdesign("task", "new", *words.split())
    assert (seen.code, seen.out) == (2, "")
    assert said in seen.err
    assert seen.err.count("\n") == 1
    assert not Path("t.json").exists()


@pytest.fixture
def task(mechdesign, domain):
    assert mechdesign("task", "new", "--oracle", "oue", "--epsilon", 2, "--domain", "d.txt", "-o", "t.json").code == 0
    Path("v.csv").write_text("city\n" + "Cork\nDerry\nCork\n" * 100)
    Path("other.txt").write_text("Cork\nGalway\nNaas\n")
    return "t.json"


def test_a_task_is_privatized_and_aggregated(mechdesign, task):
    made = mechdesign("privatize", "--task", task, "--input", "v.csv", "-o", "r.parquet", "--json")
    assert made.code == 0
    assert json.loads(made.out)["parameters"] == json.loads(Path(task).read_text())["parameters"]
    assert mechdesign("aggregate", "r.parquet", "-o", "e.csv").code == 0
    assert [line.partition(",")[0] for line in Path("e.csv").read_text().splitlines()] == [
        "item", "Cork", "Galway", "Derry",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--oracle oue", "oracle must not be given with a task"),
        ("--epsilon 1", "alpha or epsilon must not be given with a task"),
        ("--bins 0:3:1", "bins must not be given with a task"),
        ("--ordered", "ordered must not be given with a task"),
        ("--maximum 3", "maximum must not be given with a task"),
        ("--columns city,town", "columns must be as many"),
        ("--beyond clip", "beyond goes with bins"),
        ("--domain other.txt", "domain must be the one"),
    ],
    ids=["oracle", "epsilon", "bins", "ordered", "maximum", "columns", "beyond", "domain"],
)
def test_a_task_says_all_but_the_values(mechdesign, task, words, said):
    seen = mechdesign("privatize", "--task", task, "--input", "v.csv", "-o", "r.parquet", *words.split())
    assert (seen.code, seen.out) == (2, "")
    assert said in seen.err
    assert not Path("r.parquet").exists()


def test_neither_oracle_nor_task(mechdesign, task):
    seen = mechdesign("privatize", "--input", "v.csv", "-o", "r.parquet", "--domain", "d.txt", "--epsilon", 1)
    assert (seen.code, seen.err) == (
        2, "mechdesign: exactly one of --oracle and --task must be given, got neither\n",
    )  # fmt: skip


def test_messages_are_received(mechdesign, task):
    Path("m.txt").write_text("03\n05\n00\n")
    seen = mechdesign("task", "receive", "m.txt", "--task", task, "-o", "r.parquet")
    assert (seen.code, seen.out, seen.err) == (0, "", "wrote r.parquet\n3 reports\n")
    again = mechdesign("task", "receive", "m.txt", "--task", task, "-o", "again.parquet", "--batch", "tuesday")
    assert again.code == 0
    both = mechdesign("aggregate", "r.parquet", "again.parquet")
    assert both.out.startswith("6 reports of oue, 3 items")
    Path("m.bin").write_bytes(bytes([3, 5, 8]))
    bad = mechdesign("task", "receive", "m.bin", "--raw", "--task", task, "-o", "bad.parquet")
    assert (bad.code, bad.out) == (2, "")
    assert "in row 3 of m.bin" in bad.err
    assert not Path("bad.parquet").exists()


@pytest.mark.parametrize(
    "oracle", ["grr", "design:none:L0", "hrr:t=2", "hcms:hashes=4:width=8", "dbitflip:d=2", "hh:b=2", "haar"]
)
def test_sums_alone_give_the_estimates_of_reports(mechdesign, domain, oracle):
    mechdesign("task", "new", "--oracle", oracle, "--epsilon", 2, "--domain", "d.txt", "-o", "t.json")
    Path("v.csv").write_text("city\n" + "Cork\nDerry\nCork\n" * 100)
    mechdesign("privatize", "--task", "t.json", "--input", "v.csv", "-o", "r.parquet")
    assert mechdesign("aggregate", "r.parquet", "-o", "reports.csv", "--state", "r.state").code == 0
    Path("sums.csv").write_bytes(sums_csv(CollectionState.from_bytes(Path("r.state").read_bytes())))
    words = ("--sums", "sums.csv", "--users", 300, "--task", "t.json")
    assert mechdesign("aggregate", *words, "-o", "sums_only.csv").code == 0
    assert Path("sums_only.csv").read_bytes() == Path("reports.csv").read_bytes()
    wrong = mechdesign("aggregate", *words[:3], 3, *words[4:], "-o", "wrong.csv")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err.startswith("mechdesign: ")
    assert wrong.err.endswith(" in sums.csv\n")
    assert not Path("wrong.csv").exists()


def test_sums_with_a_source_are_counted_once(mechdesign):
    mechdesign("task", "new", "--oracle", "grr", "--alpha", "1/4", "--k", 3, "-o", "t.json")
    Path("s.csv").write_text("place,sum\n0,3\n1,2\n2,1\n")
    words = ("aggregate", "--sums", "s.csv", "--users", 6, "--task", "t.json", "--state")
    assert "some reports had no source" in mechdesign(*words, "unnamed.state").err
    assert "some reports had no source" not in mechdesign(*words, "one.state", "--source", "monday").err
    assert CollectionState.from_bytes(Path("one.state").read_bytes()).has("monday")
    mechdesign(*words, "again.state", "--source", "monday")
    mechdesign(*words, "two.state", "--source", "tuesday")
    twice = mechdesign("aggregate", "one.state", "again.state")
    assert (twice.code, twice.out) == (2, "")
    both = mechdesign("aggregate", "one.state", "two.state", "--state", "both.state")
    assert both.code == 0
    assert CollectionState.from_bytes(Path("both.state").read_bytes()).users == 12


def test_sums_of_a_mean_and_of_attributes(mechdesign):
    mechdesign("task", "new", "--oracle", "onebitmean", "--maximum", 10, "--alpha", "1/3", "-o", "mean.json")
    Path("ones.csv").write_text("place,sum\n0,50\n")
    found = mechdesign("aggregate", "--sums", "ones.csv", "--users", 100, "--task", "mean.json", "--json")
    assert json.loads(found.out)["mean"] == 5
    Path("a.csv").write_text("column,item\n" + "".join(f"{name},{item}\n" for name in ("cc", "tip") for item in "ny"))
    mechdesign("task", "new", "--oracle", "inpps", "--alpha", "1/4", "--domain", "a.csv", "-o", "t.json")
    Path("cells.csv").write_text("part,place,sum\nitems,0,40\nitems,1,20\nitems,2,20\nitems,3,20\n")
    words = ("--sums", "cells.csv", "--users", 100, "--task", "t.json")
    assert mechdesign("aggregate", *words, "--marginal", "cc,tip", "-o", "m.csv").code == 0
    rows = [line.split(",") for line in Path("m.csv").read_text().splitlines()]
    assert [row[:2] for row in rows[1:]] == [["n", "n"], ["n", "y"], ["y", "n"], ["y", "y"]]
    # p = 1/(1 + 3/4) = 4/7, q = 1/7: (2/5 - 1/7) / (3/7) = 3/5, and (1/5 - 1/7) / (3/7) = 2/15
    assert [round(float(row[2]), 9) for row in rows[1:]] == [0.6, *[round(2 / 15, 9)] * 3]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--sums s.csv --users 6", "--sums goes with --task and --users"),
        ("--sums s.csv --task t.json", "--sums goes with --task and --users"),
        ("--users 6 --task t.json", "--users goes with --sums, got no sums"),
        ("--source monday --task t.json", "--source goes with --sums, got no sums"),
        ("--sums s.csv --users 0 --task t.json", "users must be a whole number from 1 to 2^53, got 0"),
        (
            "--sums s.csv --users 5 --task t.json",
            "sums of items must be in 0..5 for 5 users, got 6 in place 1 in s",
        ),
        ("--sums none.csv --users 5 --task t.json", "sums must be a readable file, got none.csv"),
        ("--sums s.csv --users 6 --task s.csv", "file must be JSON"),
    ],
    ids=["no task", "no users", "no sums", "no sums to name", "nobody", "too many", "no file", "no document"],
)
def test_sums_that_cannot_be_are_one_line(mechdesign, task, words, said):
    Path("s.csv").write_text("place,sum\n0,3\n1,6\n2,0\n")
    seen = mechdesign("aggregate", *words.split())
    assert (seen.code, seen.out) == (2, "")
    assert said in seen.err
    assert seen.err.count("\n") == 1


def test_reports_of_another_task_are_refused(mechdesign, task):
    mechdesign("privatize", "--task", task, "--input", "v.csv", "-o", "r.parquet")
    assert mechdesign("aggregate", "r.parquet", "--task", task).code == 0
    mechdesign("task", "new", "--oracle", "oue", "--epsilon", 1, "--domain", "d.txt", "-o", "other.json")
    seen = mechdesign("aggregate", "r.parquet", "--task", "other.json")
    assert (seen.code, seen.out) == (2, "")
    assert "got privacy=epsilon=2 beside privacy=epsilon=1" in seen.err
    mechdesign("task", "new", "--oracle", "oue", "--epsilon", 2, "--domain", "other.txt", "-o", "other.json")
    seen = mechdesign("aggregate", "r.parquet", "--task", "other.json")
    assert seen.err == (
        "mechdesign: reports must be about one domain, got another one in r.parquet than in other.json\n"
    )
