"""What the pages on ranges and tables say of the files that their commands write, and their tables of systems."""

import csv
import math
import re
from pathlib import Path

import numpy as np
import pytest
from data_files import needs_files
from page_blocks import COLUMNS, run_page

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.ordered import Ranges
from mechdesign.workloads.registry import parse_named_workload
from mechdesign_catalog.comparisons.marginals_survey import rate_tables
from mechdesign_catalog.comparisons.workload_survey import rate
from mechdesign_catalog.systems.levels.hierarchical import HierarchicalHistograms
from mechdesign_catalog.systems.registry import parse_oracle
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
RANGES = HOW_TO / "ranges.md"
TABLES = HOW_TO / "tables.md"


@pytest.mark.slow
def test_from_a_file_of_ages_to_a_distribution_function(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(RANGES)
    ages = np.sort(np.loadtxt("ages.csv", skiprows=1))
    with open("cdf.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["item"] for row in rows] == [str(age) for age in range(120)]
    for row in rows[10::30]:
        share = np.mean(ages <= float(row["item"]))
        assert abs(float(row["cumulative"]) - share) <= 5 * float(row["cumulative_standard_error"])
    with open("answers.csv", newline="") as stream:
        answers = list(csv.DictReader(stream))
    assert [(row["first"], row["last"]) for row in answers] == [("0", "17"), ("18", "64"), ("65", "119")]
    for row in answers:
        share = np.mean((ages >= float(row["first"])) & (ages <= float(row["last"])))
        assert abs(float(row["share"]) - share) <= 5 * float(row["standard_error"])
        assert float(row["low"]) < float(row["share"]) < float(row["high"])
    with open("deciles.csv", newline="") as stream:
        deciles = list(csv.DictReader(stream))
    assert [row["quantile"] for row in deciles] == [str(part / 10) for part in range(1, 10)]
    assert all(float(row["low"]) <= float(row["item"]) <= float(row["high"]) for row in deciles)
    assert abs(float(deciles[4]["item"]) - ages[len(ages) // 2]) <= 5
    assert Path("cdf.png").stat().st_size > 10_000


@pytest.mark.slow
def test_the_table_of_systems_has_exact_standard_errors():
    rows = re.findall(
        r"^\| `([\w:=-]+)` \| (paper|own) \| ([\d,]+) \|((?: \.\d+ \|){4})$", RANGES.read_text(), flags=re.MULTILINE
    )
    assert len(rows) == 9
    for name, source, bits, cells in rows:
        oracle = parse_oracle(name, 1 << 16, Privacy(epsilon=1))
        assert oracle.is_published == (source == "paper")
        assert oracle.bits == int(bits.replace(",", ""))
        for cell, workload in zip(cells.split("|"), ("histogram", "ranges:16", "ranges", "prefixes"), strict=False):
            if (name, workload) == ("blocks", "ranges:16"):
                continue  # it looks at each query, and these are too many
            found = rate(oracle, parse_named_workload(workload, 1 << 16), 10**6)
            assert f"{math.sqrt(found.average):.{len(cell.strip()) - 1}f}".lstrip("0") == cell.strip()


@needs_files("adult.data", "adult.test")
@pytest.mark.slow
def test_from_adult_to_a_table_an_association_and_a_tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    run_page(TABLES)
    with open("people.csv", newline="") as stream:
        people = list(csv.DictReader(stream))
    assert len(people) == 45_222
    with open("table.csv", newline="") as stream:
        table = list(csv.DictReader(stream))
    assert len(table) == 4
    for row in table:
        share = np.mean([(who["sex"], who["income"]) == (row["sex"], row["income"]) for who in people])
        assert abs(float(row["share"]) - share) <= 5 * float(row["standard_error"])
        assert float(row["low"]) < float(row["share"]) < float(row["high"])
    with open("tables.csv", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == 2 * 2 + 2 * (2 * 7 + 2 * 6) + 7 * 6
    with open("pairs.csv", newline="") as stream:
        assert {row["associated"] for row in csv.DictReader(stream)} == {"1"}
    with open("rows.csv", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == 1000
    for picture in ("table.png", "tree.png"):
        assert Path(picture).stat().st_size > 10_000


ADULT = (7, 16, 7, 14, 6, 5, 2, 41, 2)


@pytest.mark.slow
def test_the_table_of_systems_for_tables_has_exact_standard_errors():
    rows = re.findall(
        r"^\| `([\w:=]+)` \| (paper|own) \| [^|]* \| ([\d,]+) \|((?: \d*\.\d+ \|){4})$",
        TABLES.read_text(),
        flags=re.MULTILINE,
    )
    assert len(rows) == 6
    for name, source, bits, cells in rows:
        first, colon, option = name.partition(":")
        for cell, (domains, way) in zip(
            cells.split("|"), (((2,) * 8, 2), ((2,) * 16, 2), ((2,) * 16, 3), (ADULT, 2)), strict=False
        ):
            asked = f"{name}:k={way}" if option == "oue" else f"{first}:k={way}{colon}{option}"
            oracle = parse_marginal_oracle(asked, domains, Privacy(epsilon=1))
            assert oracle.is_published == (source == "paper")
            found = rate_tables(oracle, oracle.least_squares, Marginals(domains, way), oracle.planned_users(10**6))
            assert f"{math.sqrt(found.average):.4f}".removeprefix("0") == cell.strip()
            if (domains, way) == ((2,) * 16, 2):
                assert oracle.bits == int(bits.replace(",", ""))


@pytest.mark.parametrize(("b", "epsilon"), [(2, 2.2), (4, 2.6)])
def test_where_everybody_has_one_item_raw_estimates_win_from_an_epsilon_on(b, epsilon):
    """The largest ratio of the variances of a range at 256 items passes 1 near the epsilon that the page names."""
    assert f"{epsilon} (b = {b})" in RANGES.read_text()
    queries, one = Ranges(256).queries(), np.eye(256)[85]

    def ratio(epsilon):
        trees = [HierarchicalHistograms(256, Privacy(epsilon=epsilon), b=b, estimate_=kind) for kind in ("ci", "raw")]
        consistent, raw = (tree.answer_variance(queries, one, 10**6) for tree in trees)
        return (consistent[raw > 0] / raw[raw > 0]).max()

    assert ratio(epsilon) < 1 < ratio(epsilon + 0.1)
