"""`mechdesign local aggregate` of items in order: ranges, quantiles, the distribution function, and what is refused."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from wording import check_wording

from mechdesign_catalog.analyses.ordered.named_ranges import read_ranges
from mechdesign_catalog.analyses.ordered.quantiles import quantiles
from mechdesign_catalog.collection.servers.aggregating import aggregate

USERS = 3000
AGES = np.random.default_rng(7).normal(42, 15, USERS).clip(0, 119).astype(int)
RANGES = "first,last\n0,17\n18,64\n40,40\n0,119\n"


@pytest.fixture
def reports(mechdesign):
    """Reports about ages in bins of one year, and a file of ranges."""
    Path("ages.csv").write_text("age\n" + "\n".join(map(str, AGES)) + "\n")
    Path("ranges.csv").write_text(RANGES)
    made = privatized(mechdesign, "--oracle", "oue", "--epsilon", 4, "--bins", "0:120:1")
    assert made.code == 0, made.err
    return "reports.parquet"


def privatized(mechdesign, *options, output="reports.parquet"):
    return mechdesign("local", "privatize", "--input", "ages.csv", "--seed", 1, "-o", output, *options)


def table(path):
    return list(csv.DictReader(Path(path).read_text().splitlines()))


@pytest.mark.slow
def test_everything_at_once(mechdesign, reports):
    seen = mechdesign(
        "local", "ranges", reports, "--ranges", "ranges.csv", "--output", "answers.csv",
        "--quantiles", "0.1:0.9:0.1", "--quantiles-output", "q.csv", "--plot", "cdf.png",
    )  # fmt: skip
    assert seen.code == 0, seen.err
    assert all(f"wrote {name}" in seen.err for name in ("answers.csv", "q.csv", "cdf.png"))
    check_wording(seen.err)
    answers, marked = table("answers.csv"), table("q.csv")
    assert list(answers[0])[:6] == ["first", "last", "share", "standard_error", "low", "high"]
    truth = [((low <= AGES) & (high >= AGES)).mean() for low, high in ((0, 17), (18, 64), (40, 40), (0, 119))]
    for row, share in zip(answers, truth, strict=True):
        assert abs(float(row["share"]) - share) <= 5 * float(row["standard_error"])
        if share < 1:  # the total is known
            assert float(row["low_all"]) < float(row["low"]) < float(row["share"]) < float(row["high"])
    assert list(marked[0])[:4] == ["quantile", "item", "low", "high"]
    assert [float(row["quantile"]) for row in marked] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    for row, item in zip(marked, np.quantile(AGES, np.arange(1, 10) / 10, method="inverted_cdf"), strict=True):
        assert int(row["low"]) - 3 <= item <= int(row["high"]) + 3
    assert Path("cdf.png").read_bytes().startswith(b"\x89PNG")
    assert seen.out.splitlines()[0] == f"{USERS:,} reports of oue, 120 bins 0:120:1, epsilon = 4"


@pytest.mark.parametrize("options", [(), ("--simultaneous",)])
def test_quantiles_that_are_asked_for_are_said_as_they_are_written(mechdesign, reports, options):
    """The screen has those of the file in place of quartiles, the first ten."""
    asked = ("--quantiles", "0.05:0.95:0.05", "--quantiles-output", "q.csv")
    seen = mechdesign("local", "ranges", reports, *asked, *options)
    (line,) = [line for line in seen.out.splitlines() if line.startswith("quantiles ")]
    rows = table("q.csv")[:10]
    said = [f"{row['quantile']}: {row['item']} ({_span(row)})" for row in rows]
    together = ", of all at once" if options else ""
    words = f"isotonic estimates, not unbiased, with 95 % intervals of items{together}"
    assert line == f"quantiles {', '.join(said)} and 9 more; {words}"
    assert "quartiles" not in seen.out


def _span(row):
    return row["low"] if row["low"] == row["high"] else f"{row['low']}..{row['high']}"


def test_ranges_are_sums_of_the_items_that_are_printed(mechdesign, reports):
    """Under every post-processing; the total is known unless raw estimates are asked for."""
    for post in ("raw", "norm", "base-pos", "norm-sub"):
        asked = ("local", "aggregate", reports, "--post", post, "-o", "out.csv")
        assert mechdesign(*asked).code == 0
        items = np.array([float(row["frequency"]) for row in table("out.csv")])
        assert mechdesign("local", "ranges", *asked[2:], "--ranges", "ranges.csv").code == 0
        answers = table("out.csv")
        for row in answers:
            whole = items[int(row["first"]) : int(row["last"]) + 1].sum()
            assert float(row["share"]) == pytest.approx(whole, abs=1e-12), post
        assert (float(answers[-1]["standard_error"]) == 0) == (post != "raw")
    assert mechdesign("local", "aggregate", reports, "-o", "out.csv").code == 0
    assert {row["post"] for row in table("out.csv")} == {"norm"}


def test_quantiles_go_to_stdout_without_a_file(mechdesign, reports):
    found = aggregate(reports)
    for options, simultaneous in (
        ([], False),
        (["--simultaneous"], True),
    ):
        seen = mechdesign("local", "ranges", reports, "--quantiles", "1/4,0.5", *options)
        assert (seen.code, seen.out.encode()) == (
            0,
            quantiles(found, "1/4,0.5").tabulate(simultaneous=simultaneous).csv_bytes(),
        )
        check_wording(seen.err)


def test_the_file_of_items_has_cumulative_shares(mechdesign, reports):
    assert mechdesign("local", "aggregate", reports, "-o", "e.csv").code == 0
    rows = table("e.csv")
    assert list(rows[0])[:3] == ["item", "frequency", "standard_error"]
    cumulative = aggregate(reports).cumulative()
    assert [float(row["cumulative"]) for row in rows] == cumulative.shares.tolist()
    assert [float(row["cumulative_standard_error"]) for row in rows] == cumulative.standard_errors.tolist()
    assert [row["item"] for row in rows] == [str(age) for age in range(120)]


def test_json_has_ranges_and_quantiles(mechdesign, reports):
    options = ["--ranges", "ranges.csv", "--quantiles", "0.5", "--json"]
    document = json.loads(mechdesign("local", "ranges", reports, *options).out)
    answers = aggregate(reports).answers(read_ranges("ranges.csv", aggregate(reports).domain).queries)
    assert [row["share"] for row in document["ranges"]] == answers.shares.tolist()
    assert (document["ranges"][0]["first"], document["ranges"][0]["last"]) == ("0", "17")
    assert document["quantiles"][0]["quantile"] == 0.5
    assert (document["quantile_method"], document["quantile_intervals"]) == ("isotonic", "each")
    assert "not unbiased" in document["quantile_statement"]
    assert "items" not in document
    plain = json.loads(mechdesign("local", "aggregate", reports, "--json").out)
    assert (plain["ordered"], len(plain["items"])) == (True, 120)
    assert {"cumulative", "cumulative_standard_error"} <= set(plain["items"][0])


@pytest.mark.parametrize("columns", [80, 200])
def test_screens_fit_and_rows_are_in_order(mechdesign, reports, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = mechdesign("local", "aggregate", reports).out.splitlines()
    assert max(map(len, lines[:-1])) <= columns
    rows = [line.split()[0] for line in lines if ".." in line.split()[0]]
    assert rows == [f"{first}..{first + 4}" for first in range(0, 120, 5)]
    assert "in each row 5 of 120 items; --output FILE.csv has them one by one" in lines
    assert lines[-1].startswith("median ")
    lines = mechdesign("local", "ranges", reports, "--ranges", "ranges.csv").out.splitlines()
    assert max(map(len, lines)) <= columns
    assert lines[2].split()[:2] == ["0", "17"]
    assert lines[1].split()[:3] == ["first", "last", "share"]
    assert "for all ranges" in lines[1]


@pytest.mark.slow
def test_dates_and_long_files_of_ranges(mechdesign):
    days = [f"2020-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 29)]
    Path("ages.csv").write_text("\n".join(["day", *days]) + "\n")
    bins = "2020-01-01:2021-01-01:7d"
    assert privatized(mechdesign, "--oracle", "grr", "--epsilon", 30, "--bins", bins).code == 0
    Path("ranges.csv").write_text("first,last\n" + "2020-01-01,2020-01-14\n" * 30)
    seen = mechdesign("local", "ranges", "reports.parquet", "--ranges", "ranges.csv", "--confidence", "0.9")
    assert seen.out.splitlines()[-1] == "the first 20 of 30; --output FILE.csv has all"
    assert "90 % interval" in seen.out
    assert f"{14 / len(days):.4f}" in seen.out
    seen = mechdesign("local", "aggregate", "reports.parquet", "--plot", "cdf.svg")
    assert "date (53 bins of 7 days" in Path("cdf.svg").read_text()
    assert seen.out.splitlines()[2].startswith("2020-01-01..2020-02-04 ")


def test_quantiles_that_reports_do_not_tell_are_named(mechdesign):
    Path("ages.csv").write_text("21\n" + "30\n44\n70\n" * 200)
    options = ("--oracle", "oue", "--column", "21", "--bins", "0:120:10")
    assert "the first line looks like data" in privatized(mechdesign, *options, "--epsilon", "0.1").err
    for at in ("0.5", "0.1,0.5"):
        check_wording(mechdesign("local", "ranges", "reports.parquet", "--quantiles", at).err)
    for epsilon, untold in (("0.1", [0.5]), ("8", [])):
        privatized(mechdesign, *options, "--epsilon", epsilon)
        document = json.loads(mechdesign("local", "ranges", "reports.parquet", "--quantiles", "0.5", "--json").out)
        assert document["untold_quantiles"] == untold


@pytest.mark.slow
def test_two_columns_have_rectangles(mechdesign):
    Path("ages.csv").write_text("age,hours\n" + "30,40\n30,10\n50,40\n" * 200)
    bins = ["--columns", "age,hours", "--bins", "0:120:10", "--bins", "0:100:20"]
    assert privatized(mechdesign, "--oracle", "oue", "--epsilon", 8, *bins).code == 0
    Path("ranges.csv").write_text("first_1,last_1,first_2,last_2\n0,119,0,99\n30..39,39,40,59\n0,49,0,39\n")
    seen = mechdesign("local", "ranges", "reports.parquet", "--ranges", "ranges.csv", "-o", "answers.csv")
    assert seen.code == 0, seen.err
    assert [float(row["share"]) for row in table("answers.csv")] == pytest.approx([1, 1 / 3, 1 / 3], abs=0.1)
    assert list(table("answers.csv")[0])[:6] == ["first_1", "last_1", "first_2", "last_2", "share", "standard_error"]
    seen = mechdesign("local", "aggregate", "reports.parquet", "--plot", "p.png", "-o", "e.csv")
    assert seen.code == 0, seen.err
    assert seen.out.splitlines()[0] == "600 reports of oue, 60 pairs of bins 0:120:10 and 0:100:20, epsilon = 8"
    assert "cumulative" not in table("e.csv")[0]
    seen = mechdesign("local", "ranges", "reports.parquet", "--quantiles", "0.5")
    assert seen.code == 2
    check_wording(seen.err)


def test_lists_have_ranges_and_quantiles_in_their_order(mechdesign):
    Path("ages.csv").write_text("size\n" + "S\nM\nM\nL\n" * 50)
    Path("sizes.txt").write_text("S\nM\nL\n")
    Path("ranges.csv").write_text("first,last\nS,M\nL,L\n")
    for options in ([], ["--ordered"]):
        privatized(mechdesign, "--oracle", "grr", "--epsilon", 20, "--domain", "sizes.txt", "--replace", *options)
        seen = mechdesign(
            "local", "ranges", "reports.parquet", "--ranges", "ranges.csv", "-o", "a.csv", "--quantiles", "0.5"
        )
        assert [float(row["share"]) for row in table("a.csv")] == pytest.approx([0.75, 0.25])
        assert seen.out.splitlines()[1].startswith("0.5,M,M,M,M,")
        assert ("taken in the order of their list" in seen.err) != bool(options)
        shown = mechdesign("local", "aggregate", "reports.parquet").out
        assert ("median M (M), quartiles" in shown) == bool(options)
        assert ("above noise" in shown) != bool(options)


REFUSED = [
    ("--quantiles", "0.5,1.5"),
    ("--quantiles-output", "q.csv"),
    ("--simultaneous",),
    ("--quantiles", "0.5", "--post", "norm-sub"),
    ("--quantiles", "0.5", "--quantiles-output", "a.csv", "-o", "./a.csv"),
    ("--quantiles", "0.5", "--ranges", "ranges.csv"),
    ("--ranges", "ranges.csv", "-o", "ranges.csv"),
    ("--ranges", "turned.csv", "-o", "answers.csv"),
]


def test_what_is_refused_writes_nothing(mechdesign, reports):
    Path("turned.csv").write_text("first,last\n45,30\n")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    for options in REFUSED:
        seen = mechdesign("local", "ranges", reports, *options)
        assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1), seen.err
        check_wording(seen.err)
        assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_a_mean_has_no_ranges(mechdesign, reports):
    privatized(mechdesign, "--oracle", "onebitmean", "--maximum", 120, "--epsilon", 1, output="mean.parquet")
    for options in (["--ranges", "ranges.csv"], ["--quantiles", "0.5"]):
        seen = mechdesign("local", "ranges", "mean.parquet", *options)
        assert (seen.code, seen.out) == (2, "")
        check_wording(seen.err)


@pytest.mark.slow
def test_more_items_than_the_memory_holds_are_refused_before_they_are_estimated(mechdesign, monkeypatch):
    """A file of two reports about 2^26 bins asks for 10 GB: estimates, errors and intervals of each."""
    Path("ages.csv").write_text("age\n5\n7\n")
    bins = ("--bins", "0:67108864:1")
    made = ("local", "privatize", "--oracle", "grr", "--epsilon", 1, "--input", "ages.csv", *bins, "-o", "r.parquet")
    assert mechdesign(*made).code == 0
    monkeypatch.setattr("mechdesign_catalog.systems.memory_needs.memory_limit", lambda: 4 << 30)
    seen = mechdesign("local", "aggregate", "r.parquet")
    assert seen.code == 2
    check_wording(seen.err)


def test_a_table_of_more_items_than_the_memory_holds_is_refused(mechdesign, monkeypatch):
    Path("ages.csv").write_text("age\n5\n7\n")
    made = ("local", "privatize", "--oracle", "grr", "--epsilon", 1, "--input", "ages.csv", "--bins", "0:4096:1")
    assert mechdesign(*made, "-o", "r.parquet").code == 0
    monkeypatch.setattr("mechdesign_catalog.systems.memory_needs.memory_limit", lambda: 3_000_000)
    monkeypatch.setattr("mechdesign_catalog.systems.memory_needs.PIECE_BYTES", 1)
    assert mechdesign("local", "aggregate", "r.parquet").code == 0
    seen = mechdesign("local", "aggregate", "r.parquet", "-o", "a.csv")
    assert seen.code == 2
    check_wording(seen.err)
    assert not Path("a.csv").exists()


@pytest.mark.slow
def test_many_items_have_the_errors_that_are_asked_for(mechdesign, monkeypatch):
    """Of warped blocks ranges and some prefixes have standard errors, single items none, and quantiles intervals."""
    monkeypatch.setattr("mechdesign_catalog.systems.levels.warped_blocks.MOST_SOLVED", 60)
    for module in (
        "mechdesign_catalog.collection.estimates.frequency_estimate",
        "mechdesign_cli.showing.answers.item_estimates",
    ):
        monkeypatch.setattr(f"{module}.TABLED", 40)
    for room in ("systems.levels.warped_blocks", "decoders.lines.information"):
        monkeypatch.setattr(f"mechdesign_catalog.{room}.MOST_DENSE", 512)
    Path("ages.csv").write_text("age\n" + "".join(f"{age}\n" for age in range(150, 450)) * 4)
    made = ("local", "privatize", "--oracle", "warped-blocks:levels=uniform", "--epsilon", 4, "--input", "ages.csv")
    assert mechdesign(*made, "--bins", "0:600:1", "-o", "r.parquet").code == 0
    seen = mechdesign("local", "aggregate", "r.parquet", "-o", "a.csv")
    assert "of at most 40 prefixes" in " ".join(seen.out.split())
    assert "up to 60 ranges" in " ".join(seen.out.split())
    assert "of their standard errors at most" in seen.out
    table = list(csv.DictReader(Path("a.csv").read_text().splitlines()))
    assert {row["standard_error"] for row in table} == {""}
    known = [row["cumulative_standard_error"] for row in table if row["cumulative_standard_error"]]
    assert 20 < len(known) <= 40
    marked = list(csv.DictReader(mechdesign("local", "ranges", "r.parquet", "--quantiles", "1/4,1/2").out.splitlines()))
    assert all(int(row["low"]) <= int(row["item"]) <= int(row["high"]) for row in marked)
    assert abs(int(marked[1]["item"]) - 300) < 100
    Path("ranges.csv").write_text("first,last\n" + "".join(f"{age},{age + 9}\n" for age in range(61)))
    seen = mechdesign("local", "ranges", "r.parquet", "--ranges", "ranges.csv")
    assert "at most 60 answers at once, got 61" in seen.out
    document = json.loads(mechdesign("local", "aggregate", "r.parquet", "--json").out)
    assert document["above_noise"] is None
    assert document["items"][5]["standard_error"] is None


def test_the_distribution_function_in_json(mechdesign, reports):
    """Its places are the edges of the bins; the bands hold one another, and the truth."""
    document = json.loads(mechdesign("local", "ranges", reports, "--json", "--ranges", "ranges.csv").out)
    assert document["distribution"]["kind"] == "numbers"
    places = document["distribution"]["places"]
    assert [place["edge"] for place in places] == [str(age) for age in range(121)]
    assert [place["at"] for place in places] == list(range(121))
    rising = [place["rising"] for place in places]
    assert (rising[0], rising[-1]) == (0, 1)
    assert rising == sorted(rising)
    prefixes = aggregate(reports).cumulative().shares.clip(0, 1)
    assert [place["unbiased"] for place in places[1:-1]] == pytest.approx(prefixes[:-1])
    for place in places:
        assert place["low"] <= place["unbiased"] <= place["high"]
        assert place["low_all"] <= (place["at"] > AGES).mean() <= place["high_all"]
    assert len(document["ranges"]) == 4


def test_items_in_order_have_a_function_of_steps(mechdesign):
    Path("d.txt").write_text("low\nmiddle\nhigh\n")
    Path("ages.csv").write_text("age\n" + "low\n" * 500 + "high\n" * 500)
    privatized(mechdesign, "--oracle", "grr", "--epsilon", 6, "--domain", "d.txt", "--ordered")
    distribution = json.loads(mechdesign("local", "aggregate", "reports.parquet", "--json").out)["distribution"]
    assert distribution["kind"] == "items"
    assert [place["edge"] for place in distribution["places"]] == ["low", "middle", "high"]
    assert [place["rising"] for place in distribution["places"]] == pytest.approx([0.5, 0.5, 1], abs=0.05)


@pytest.mark.parametrize(("bins", "shown"), [("0:24:1", 24), ("0:48:1", 24)])
def test_rows_say_how_many_items_they_have(mechdesign, bins, shown):
    count = int(bins.split(":")[1])
    Path("v.csv").write_text("v\n" + "".join(f"{i % count}\n" for i in range(480)))
    made = ("--oracle", "oue", "--epsilon", 1, "--input", "v.csv", "--bins", bins, "--output", "v.parquet", "--seed", 1)
    mechdesign("local", "privatize", *made)
    lines = mechdesign("local", "aggregate", "v.parquet", "--confidence", "0.9").out.splitlines()
    assert lines[1].split() == [
        *("item" if count == shown else "items", "share", "+-", "90", "%", "interval"),
        *("so", "far", "+-", "90", "%", "interval"),
    ]
    assert sum(line[0].isdigit() for line in lines[1:-1]) == shown
    together = [line for line in lines if line.startswith("in each row")]
    assert together == ([] if count == shown else ["in each row 2 of 48 items; --output FILE.csv has them one by one"])
    assert lines[-1].endswith("with 90 % intervals of items")


@pytest.mark.slow
def test_mean_and_variance_go_to_all_outputs(mechdesign, reports):
    seen = mechdesign("local", "ranges", reports, "--mean", "start", "--mean-output", "mean.csv", "-o", "items.csv")
    assert seen.code == 0, seen.err
    check_wording(seen.out.splitlines()[-1])
    rows = table("mean.csv")
    assert [row["moment"] for row in rows] == ["mean", "variance"]
    for row, true in zip(rows, (AGES.mean(), AGES.var()), strict=True):
        assert abs(float(row["estimate"]) - true) <= 5 * float(row["standard_error"])
    assert list(rows[0])[1:5] == ["estimate", "standard_error", "low", "high"]
    asked = ("local", "ranges", reports, "--mean", "start", "--json")
    for more in ([], ["--ranges", "ranges.csv"]):
        document = json.loads(mechdesign(*asked, *more).out)
        assert [row["estimate"] for row in document["moments"]] == [float(row["estimate"]) for row in rows]
        assert document["moment_statement"] in seen.out


def test_a_mean_that_has_no_answer_is_refused(mechdesign, reports):
    for options in (
        ["--mean", "end"],
        ["--mean", "start", "--post", "raw"],
        ["--mean", "start", "--quantiles", "0.5"],
        ["--mean-output", "mean.csv"],
    ):
        seen = mechdesign("local", "ranges", reports, *options)
        assert (seen.code, seen.out) == (2, "")
        check_wording(seen.err)
    assert not Path("mean.csv").exists()
