"""`local aggregate` of reports that are designed for a workload: its queries, and items where they are told."""

import csv
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from command_line import make_runner
from row_designs import cyclic_oracle
from wording import check_wording

from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign_catalog import Domain, Task, save_task
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle

ITEMS = Domain(("Cork", "Galway", "Derry", "Sligo"))
PREFIXES = cyclic_oracle(4, Privacy(epsilon=3), (3, 1))
PAIRS = WorkloadOracle.of(
    RowMechanism(Fraction(1, 9), ("1100", "0110", "0011", "1001"), (1,) * 4, 20), FixedRanges(4, 2)
)
COUNTS = (900, 600, 300, 200)


@pytest.fixture
def mechdesign(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [item for item, count in zip(ITEMS.items, COUNTS, strict=True) for _ in range(count)]
    Path("values.csv").write_text("\n".join(["city", *rows]) + "\n")
    for name, oracle in (("prefixes", PREFIXES), ("pairs", PAIRS)):
        save_task(Task.about(oracle.parameters, ITEMS), f"{name}.json")
    return make_runner(capsys)


def report(mechdesign, name):
    ran = mechdesign(
        "local", "privatize", "--task", f"{name}.json", "--input", "values.csv", "-o", "r.parquet", "--seed", 3
    )
    assert ran.code == 0
    return ran


def test_each_query_has_its_share_and_error(mechdesign):
    check_wording(report(mechdesign, "prefixes").err)
    seen = mechdesign("local", "aggregate", "r.parquet", "-o", "answers.csv")
    assert seen.code == 0
    assert seen.out.startswith("2,000 reports of workload-design (prefixes), 4 items, epsilon = 3\n")
    assert "for all queries" in seen.out
    assert "None" not in seen.out
    rows = list(csv.DictReader(Path("answers.csv").read_text().splitlines()))
    assert [(row["first"], row["last"]) for row in rows] == [("Cork", item) for item in ITEMS.items]
    true = np.cumsum(COUNTS) / 2000
    error = np.sqrt(PREFIXES.answer_variance(PREFIXES.workload.queries(), np.array(COUNTS) / 2000, 2000))
    found = [(float(row["share"]), float(row["standard_error"])) for row in rows]
    for (share, stated), truth, exact in zip(found[:3], true, error, strict=False):
        assert abs(share - truth) <= 4 * exact
        assert stated == pytest.approx(exact, rel=0.1)


@pytest.mark.slow
def test_items_quantiles_and_posts_where_items_are_told(mechdesign):
    report(mechdesign, "prefixes")
    items = mechdesign("local", "aggregate", "r.parquet", "--post", "raw")
    assert items.out.splitlines()[1].split()[:2] == ["item", "frequency"]
    assert mechdesign("local", "aggregate", "r.parquet", "--post", "norm-sub").code == 0
    drawn = mechdesign("local", "aggregate", "r.parquet", "--plot", "shares.png")
    assert "for all queries" in drawn.out
    assert Path("shares.png").read_bytes().startswith(b"\x89PNG")
    assert "0.5,Galway" in mechdesign("local", "ranges", "r.parquet", "--quantiles", "0.5").out
    document = json.loads(mechdesign("local", "aggregate", "r.parquet", "--json").out)
    assert document["workload"] == "prefixes"
    assert [row["item"] for row in document["items"]] == list(ITEMS.items)
    assert [row["last"] for row in document["queries"]] == list(ITEMS.items)


def test_what_is_not_told_is_refused_in_one_line_before_reports_are_read(mechdesign):
    report(mechdesign, "pairs")
    seen = mechdesign("local", "aggregate", "r.parquet")
    assert seen.code == 0
    assert "the reports do not tell the shares of 4 of 4 items" in seen.out
    assert json.loads(mechdesign("local", "aggregate", "r.parquet", "--json").out)["items"] == []
    asked = (("aggregate", "--post", "norm-sub"), ("aggregate", "--plot", "x.png"), ("ranges", "--quantiles", "0.5"))
    for command, *options in asked:
        seen = mechdesign("local", command, "r.parquet", *options)
        assert (seen.code, seen.out) == (2, "")
        check_wording(seen.err)
        assert len(seen.err.splitlines()) == 1


def test_ranges_of_a_file_are_answered_where_the_rows_tell_them(mechdesign):
    report(mechdesign, "pairs")
    Path("told.csv").write_text("first,last\nGalway,Derry\nCork,Sligo\n")
    seen = mechdesign("local", "ranges", "r.parquet", "--ranges", "told.csv")
    assert seen.code == 0
    assert "for all ranges" in seen.out
    Path("other.csv").write_text("first,last\nGalway,Derry\nCork,Derry\n")
    seen = mechdesign("local", "ranges", "r.parquet", "--ranges", "other.csv")
    assert seen.code == 2
    check_wording(seen.err)
