"""Exact intervals by group, and of one group alone."""

from fractions import Fraction
from pathlib import Path

import pytest
from microdata import write_people
from wording import refused

from mechdesign.counts.estimation.estimate import estimate_counts
from mechdesign.designs import design
from mechdesign.errors import InputError, RefusedError
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.releases.estimates.by_group import estimate_groups
from mechdesign.releases.estimates.estimate import estimate_release, estimate_sizes
from mechdesign.releases.files import release_file

ALPHAS = ("1/10", "1/4", "1/2", "3/4", "9/10", "99/100")


@pytest.fixture
def released(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_people("people.csv", areas=12, largest=4)


@pytest.mark.usefixtures("released")
def test_intervals_later_are_those_of_the_release():
    asked = {"bit": "poor", "group": "area", "epsilon": "1"}
    release_file("people.csv", "r.csv", record="r.json", intervals="0.9", **asked)
    found = estimate_groups("r.csv", "r.json", confidence="0.9")
    lines = Path("r.csv").read_text().splitlines()[1:]
    assert [f"{name[0]},{','.join(map(str, row))}" for name, row in zip(found.names, found.rows, strict=True)] == lines
    assert repr(found) == "<GroupEstimates: 12 groups>"
    wider = estimate_groups("r.csv", "r.json", confidence="0.999")
    assert all(a[2] >= b[2] and a[3] <= b[3] for a, b in zip(found.rows, wider.rows, strict=True))
    with refused(InputError, about="confidence"):
        estimate_groups("r.csv", "r.json", confidence="1")
    Path("r.csv").write_text(Path("r.csv").read_text().replace("area 0011", "area 0012"))
    with refused(RefusedError):
        estimate_groups("r.csv", "r.json")


def test_rows_of_a_table_are_numbered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("homes.csv").write_text("people,sick\n4,1\n7,2\n")
    release_file("homes.csv", "r.csv", record="r.json", column="sick", size="people", alpha="3/4")
    assert estimate_groups("r.csv", "r.json").names == (("1",), ("2",))


@pytest.mark.slow
@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_interval_of_one_group_covers(alpha):
    """It held the true count with 82 % alone, for n = 2 and alpha = 1/10."""
    for n in (1, 2, 3, 6, 12):
        mechanism = design(DesignProblem(n, alpha, properties="WH,RM,CM")).mechanism
        bounds, shares = [], []
        for i in range(n + 1):
            counts = [int(k == i) for k in range(n + 1)]
            noise = estimate_counts(mechanism, counts).mean.noise
            bounds.append((noise.low, noise.high))
            found = estimate_sizes({n: mechanism}, {n: {i: 1}})
            assert (found.total.low, found.total.high) == bounds[-1] == (found.sizes[0].mean.low, found.total.high)
            shares.append((found.share.low * n, found.share.high * n))
        for j in range(n + 1):
            held = sum(mechanism.fraction(i, j) for i, (low, high) in enumerate(bounds) if low <= j <= high)
            assert held >= Fraction(19, 20)
        assert shares == [pytest.approx(pair) for pair in bounds]


@pytest.mark.usefixtures("released")
def test_sizes_with_one_group_are_exact():
    release_file("people.csv", "r.csv", record="r.json", bit="poor", group="area", epsilon="1")
    text = Path("people.csv").read_text().splitlines()
    Path("few.csv").write_text("\n".join([text[0], *(line for line in text if "area 0003" in line)]) + "\n")
    release_file("few.csv", "f.csv", record="f.json", bit="poor", group="area", epsilon="1")
    found, exact = estimate_release("f.csv", "f.json"), estimate_groups("f.csv", "f.json").rows[0]
    assert (found.total.low, found.total.high) == exact[2:4]
