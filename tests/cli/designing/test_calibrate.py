"""`mechdesign calibrate`: both ends in words and as JSON, the files of the design, and what is refused."""

import csv
import json
from fractions import Fraction

import pytest
from wording import check_wording

from mechdesign import calibrate, read_design

WISH = ("calibrate", "--n", 8, "--props", "WH,CM", "--within", 1, "--in", "0.8")


def test_both_ends_and_the_design(mechdesign, tmp_path):
    file, picture = tmp_path / "design.json", tmp_path / "design.png"
    seen = mechdesign(*WISH, "--output", file, "--plot", picture)
    found = calibrate(8, properties="WH,CM", within=1, chance="0.8")
    assert seen.code == 0
    assert f"{float(found.upper):g} suffices" in " ".join(seen.out.split())
    assert f"{float(found.lower):g} does not" in " ".join(seen.out.split())
    assert "whatever the count" in " ".join(seen.out.split())
    assert read_design(file).score == found.best.score
    assert mechdesign("check", file).code == 0
    assert picture.stat().st_size > 1000


def test_document(mechdesign):
    seen = mechdesign(*WISH, "--json")
    found = json.loads(seen.out)
    ends = [Fraction(found["epsilon"][end]["exact"]) for end in ("lower", "upper")]
    assert 0 < ends[1] - ends[0] <= Fraction(1, 1000)
    wanted, score, bound = (
        Fraction(found[key]["exact"]) for key in ("wanted_score", "score_at_upper", "lower_bound_at_lower")
    )
    assert score <= wanted < bound


def test_a_law_is_written_where_one_serves(mechdesign, tmp_path):
    file = tmp_path / "law.json"
    asked = ("calibrate", "--n", 100_000, "--loss", "L1", "--score", "1.5")
    assert mechdesign(*asked, "--output", file).code == 0
    assert mechdesign("check", file).code == 0
    refused = mechdesign(*asked, "--output", tmp_path / "law.csv")
    assert refused.code == 2
    check_wording(refused.err)
    assert [path.name for path in tmp_path.iterdir()] == ["law.json"]


def test_a_law_is_measured_where_none_is_the_best(mechdesign, tmp_path):
    file = tmp_path / "law.json"
    asked = ("calibrate", "--n", 100_000, "--props", "F", "--within", 2, "--in", "0.9")
    seen = mechdesign(*asked, "--output", file)
    assert seen.code == 0
    text = " ".join(seen.out.split())
    assert "suffices: a law scores" in text
    assert "the ends stay apart" in text
    assert mechdesign("check", file).code == 0
    found = json.loads(mechdesign(*asked, "--json").out)
    assert found["score_at_upper"]["value"] <= found["wanted_score"]["value"] < found["lower_bound_at_lower"]["value"]
    assert found["how"].startswith("EM, the explicit fair mechanism")


REFUSED = {
    "no wish": (2, ("calibrate", "--n", 8)),
    "no chance": (2, ("calibrate", "--n", 8, "--within", 1)),
    "sure": (1, ("calibrate", "--n", 8, "--within", 1, "--in", 1)),
    "everything": (1, ("calibrate", "--n", 8, "--within", 8, "--in", "0.5")),
    "perfect": (1, ("calibrate", "--n", 8, "--loss", "L1", "--score", 0)),
    "no number": (2, ("calibrate", "--n", 8, "--loss", "L1", "--score", "many")),
    "met by all": (1, ("calibrate", "--n", 8, "--within", 7, "--in", "0.5")),
    "suffix": (2, (*WISH, "--output", "design.docx")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_wished_is_one_line(mechdesign, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    code, command = REFUSED[name]
    seen = mechdesign(*command)
    assert (seen.code, seen.out) == (code, "")
    assert seen.err.count("\n") == 1
    check_wording(seen.err)
    assert list(tmp_path.iterdir()) == []


LOCAL = ("local", "calibrate", "--workload", "ranges", "--k", 16)


def test_local_reports_for_so_many_users(mechdesign):
    asked = (*LOCAL, "--error", "0.02", "--users", 20_000)
    found = json.loads(mechdesign(*asked, "--json").out)
    seen = " ".join(mechdesign(*asked).out.split())
    assert f"epsilon {found['epsilon']:g} suffices: {found['oracle']}" in seen
    assert f"with epsilon {found['impossible']['value']:g} or less no local mechanism does" in seen
    assert found["standard_error"] <= 0.02 < found["missing"]["standard_error"]


def test_local_reports_at_an_epsilon(mechdesign):
    asked = (*LOCAL, "--half-width", "0.05", "--confidence", "0.9", "--epsilon", 1, "--mean", "--oracle", "haar")
    found = json.loads(mechdesign(*asked, "--json").out)
    seen = " ".join(mechdesign(*asked).out.split())
    assert f"users {found['n']:,} suffice: haar" in seen
    assert f"{found['n'] - 1:,} do not" in seen
    assert found["impossible"]["value"] < found["n"]


def test_local_wishes_without_queries_are_refused(mechdesign):
    seen = mechdesign("local", "calibrate", "--k", 16, "--error", "0.1", "--users", 100)
    assert seen.code == 2
    check_wording(seen.err)


WISHES = ("calibrate", "--n", 4, "--within", 1, "--in", "0.8,0.9")


def test_several_wishes_make_a_table(mechdesign, tmp_path):
    table, picture = tmp_path / "wishes.csv", tmp_path / "wishes.png"
    seen = mechdesign(*WISHES, "--output", table, "--plot", picture)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    alone = [calibrate(4, within=1, chance=chance) for chance in ("0.8", "0.9")]
    assert [float(row["chance"]) for row in rows] == [0.8, 0.9]
    assert [float(row["epsilon"]) for row in rows] == [float(one.upper) for one in alone]
    assert [row["impossible"] for row in rows] == [str(float(one.lower)) for one in alone]
    assert [float(row["reached"]) for row in rows] == [float(one.best.score) for one in alone]
    assert seen.out.split()[:5] == list(rows[0])
    assert picture.read_bytes().startswith(b"\x89PNG")
    document = json.loads(mechdesign(*WISHES, "--json").out)
    assert [one["epsilon"]["upper"]["value"] for one in document["wishes"]] == [float(one.upper) for one in alone]


def test_several_local_wishes_make_a_table(mechdesign, tmp_path):
    table, picture = tmp_path / "wishes.csv", tmp_path / "wishes.svg"
    asked = ("local", "calibrate", "--workload", "histogram", "--k", 4, "--oracle", "flat:grr", "--error", "0.02,0.05")
    for given, sought in ((("--users", 1000), "epsilon"), (("--epsilon", 1), "users")):
        assert mechdesign(*asked, *given, "--output", table, "--plot", picture).code == 0
        rows = list(csv.DictReader(table.read_text().splitlines()))
        assert list(rows[0])[:4] == ["error", sought, "too_little", "impossible"]
        assert float(rows[0][sought]) > float(rows[1][sought])
        assert all(float(row["impossible"]) <= float(row["too_little"]) < float(row[sought]) for row in rows)
        assert "impossible" in picture.read_text()


@pytest.mark.parametrize(
    "more",
    [
        ("--output", "design.npz"),
        ("--in", "0.8,1"),
        ("--in", "0.9:0.8:0.1"),
        ("--in", "0.8,many"),
        ("--within", 3),
    ],
    ids=["no table", "one is impossible", "falling", "no number", "met by all"],
)
def test_one_bad_wish_of_several_writes_nothing(mechdesign, tmp_path, monkeypatch, more):
    monkeypatch.chdir(tmp_path)
    seen = mechdesign(*WISHES[:-2], "--in", "0.8,0.9", *more)
    assert (seen.code, seen.out) == (1 if "--within" in more or "0.8,1" in more else 2, "")
    check_wording(seen.err)
    assert list(tmp_path.iterdir()) == []
