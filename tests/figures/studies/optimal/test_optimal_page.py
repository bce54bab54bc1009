"""The numbers of the explanation page are those of the study's table."""

import math
import re
from pathlib import Path

import pytest

from mechdesign_figures.studies.optimal.published import OPTIMUM
from mechdesign_figures.studies.study import read_table

ROOT = Path(__file__).parents[4]
ROWS = read_table((ROOT / "figures/gallery/optimal.csv").read_text())
PAGE = (ROOT / "docs/explanation/workloads.md").read_text()


def tables():
    """The cells of each table of the study, the head first."""
    for block in re.findall(r"(?:^\|.*\|\n)+", PAGE, re.MULTILINE):
        lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines()]
        if lines[0][0] not in ("k", "side of $n$ items"):  # the tables of floors and of eigenvalues
            yield lines[0], lines[2:]


def best(workload, k, epsilon, family):
    own = (row for row in ROWS if (row["workload"], row["items"], row["epsilon"]) == (workload, k, epsilon))
    return min((row for row in own if row["family"] == family), key=lambda row: row["variance"], default=None)


def test_optima_and_gaps_are_those_of_the_study():
    (_, lines), *_ = tables()
    for workload, k, *cells, outputs in lines:
        found = [best(workload, int(k), epsilon, OPTIMUM) for epsilon in (0.5, 1.0, 2.0)]
        for row, variance, gap in zip(found, cells[::2], cells[1::2], strict=True):
            assert (row is None) == (variance == "")
            if row is not None:
                assert float(variance) == pytest.approx(row["variance"], rel=1e-6)
                assert float(gap) >= row["over_most"] - 1 - 1e-15
                assert float(gap) <= 1.1 * (row["over_most"] - 1) + 1e-15
        assert outputs == ", ".join(str(row["outputs"]) for row in found if row is not None)
    assert {(workload, int(k)) for workload, k, *_ in lines} == {(row["workload"], row["items"]) for row in ROWS}


def test_ratios_are_those_of_the_study():
    _, *of_ratios = tables()
    for (_, _, _, *families), lines in of_ratios:
        for workload, k, epsilon, *cells in lines:
            for family, cell in zip(families, cells, strict=True):
                row = best(workload, int(k), float(epsilon), family.removesuffix(" (own)"))
                assert (row is None) == (cell == "")
                if row is not None:
                    low, _, high = cell.partition(" to ")
                    assert float(low) == pytest.approx(row["over_least"], abs=0.00501)
                    assert float(high or low) == pytest.approx(row["over_most"], abs=0.00501)
    assert sum(len(lines) for _, lines in of_ratios) == len(
        {(r["workload"], r["items"], r["epsilon"]) for r in ROWS}
        - {(r["workload"], r["items"], r["epsilon"]) for r in ROWS if r["epsilon"] not in (0.5, 1.0, 2.0)}
    )


def test_what_the_page_says_of_published_mechanisms_is_so():
    published = ("GRR", "OUE", "OLH", "HRR", "subset selection", "trees", "HaarHRR")
    for workload in ("prefixes", "ranges"):
        settings = {
            (row["items"], row["epsilon"]) for row in ROWS if row["workload"] == workload and row["items"] >= 16
        }
        for k, epsilon in settings & {(k, e) for k, _ in settings for e in (0.5, 1.0, 2.0)}:
            ratios = {family: best(workload, k, epsilon, family)["over_least"] for family in published}
            assert min(ratios.values()) > 1.25
            least = min(ratios, key=ratios.__getitem__)
            assert least == "HaarHRR" if epsilon == 0.5 else epsilon < 2 or least in ("subset selection", "trees")
            trees = best(workload, k, epsilon, "trees with subset selection")
            assert trees["variance"] < best(workload, k, epsilon, "trees")["variance"]
    factors = [(math.exp(e) + 1) ** 2 / (4 * math.exp(e)) for e in (0.5, 1.0, 2.0)]
    assert ", ".join(f"{factor:.2f}" for factor in factors[:2]) + f" and {factors[2]:.2f}" in PAGE
    weighted = [best("marginals:2", k, 0.5, "InpHT, weighted") for k in (8, 16, 32)]
    assert all(row["over_most"] < 1 + 1e-9 for row in weighted)


def test_the_best_published_system_for_tables_depends_on_epsilon():
    tables = ("InpHT", "MargPS", "MargRR")
    for k in (8, 16, 32, 64, 128, 1024):
        for epsilon in (0.5, 1.0, 2.0):
            found = {family: best("marginals:2", k, epsilon, family)["variance"] for family in tables}
            assert min(found, key=found.__getitem__) == ("InpHT" if epsilon < 1 else "MargPS")
            assert found["MargPS"] < found["MargRR"]
    ratios = [best("marginals:2", k, 1.0, "MargPS")["over_least"] for k in (8, 16, 32)]
    assert (f"{min(ratios):.2f}", f"{max(ratios):.2f}") == ("1.03", "1.13")
    assert "by 3 to 13 % above the optimum" in PAGE
