"""Comparisons: every candidate at every size and alpha, measured by every metric."""

from fractions import Fraction

import numpy as np
import pytest

from mechdesign import DesignProblem, InputError, Loss, Mechanism, design, design_law, export
from mechdesign.counts.error_metrics import parse_metrics
from mechdesign.counts.measuring import measure
from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.comparisons.of_mechanisms import MechanismComparison, compare_mechanisms, measure_mechanisms
from mechdesign_catalog.datasets.counts import People, open_data
from mechdesign_catalog.mechanisms.candidates import make_mechanism, parse_candidates

PEOPLE = People("a town", np.arange(100) % 3 == 0)
HALF, MOST = Fraction(1, 2), Fraction(9, 10)


def comparison(names="GM;UM", sizes=(2, 4), alphas=(HALF, MOST), metrics="error-rate,rmse", repetitions=3):
    grouped = tuple(PEOPLE.grouped(n) for n in sizes)
    return MechanismComparison(parse_candidates(names), grouped, alphas, metrics, Loss.parse("L0"), repetitions)


def test_every_combination_once_in_order():
    told = []
    asked = comparison()
    rows = measure_mechanisms(asked, seeded_words(1), told.append)
    order = [(row.n, row.mechanism, row.alpha, row.measured.metric) for row in rows]
    assert order == [
        (n, name, alpha, metric)
        for n in (2, 4)
        for name in ("GM", "UM")
        for alpha in (HALF, MOST)
        for metric in ("error-rate", "rmse")
    ]
    assert {row.n: row.groups for row in rows} == {2: 50, 4: 25}
    assert told[-1] == asked.draws == (50 + 25) * 4 * 3


def test_rows_are_the_measurements():
    (row,) = measure_mechanisms(comparison("WM", (4,), (MOST,), "bias"), seeded_words(5))
    mechanism = design(DesignProblem(4, MOST, properties="WH,RM,CM")).mechanism
    (alone,) = measure(mechanism, PEOPLE.grouped(4).histogram, parse_metrics("bias", 4), 3, seeded_words(5))
    assert row.measured == alone
    assert row.entry()["expected"] == alone.expected
    assert row.entry()["alpha"] == "9/10"


def test_a_file_has_an_alpha_of_its_own(tmp_path):
    path = tmp_path / "half.json"
    export(design(DesignProblem(4, HALF)), path)
    rows = measure_mechanisms(comparison(f"{path};GM", (4,), (MOST,)), seeded_words(1))
    assert {row.mechanism: row.alpha for row in rows} == {str(path): HALF, "GM": MOST}
    assert len(measure_mechanisms(comparison(str(path), (4,), ()))) == 2


def test_the_table_has_every_row():
    table = measure_mechanisms(comparison(repetitions=1), seeded_words(1)).tabulate()
    header, *lines = table.csv_bytes().decode().splitlines()
    assert header.split(",")[:7] == ["mechanism", "metric", "n", "alpha", "expected", "mean", "standard_error"]
    assert len(lines) == 16
    assert lines[0].split(",")[6] == ""  # one repetition has no standard error


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alphas": ()}, "give alpha or epsilon, got neither"),
        ({"repetitions": 0}, "repetitions must be at least 1, got repetitions=0"),
        ({"repetitions": 10**9}, "a comparison must draw at most 10000000000 counts"),
        ({"metrics": "error:3"}, "metric error:E must have E in -2..2 for n = 2"),
        ({"names": "RR"}, "n must be 1 for RR, got n=2"),
        ({"names": "gone.json"}, "file must exist, got gone.json"),
    ],
)
def test_unusable(changes, message):
    with pytest.raises(InputError) as error:
        measure_mechanisms(comparison(**changes))
    assert message in str(error.value)


def test_from_python_as_from_the_command_line(tmp_path):
    best = design(DesignProblem(n=12, alpha="0.9", properties="WH"))
    export(best, tmp_path / "wh.json")
    rows = compare_mechanisms(
        "saxony",
        {"ours": best, "matrix": best.mechanism, "file": str(tmp_path / "wh.json"), "GM": "GM"},
        alpha=["0.9", Fraction(1, 2)],
        metrics="rmse",
        repetitions=2,
        seed=1,
    )
    assert [(row.mechanism, row.alpha) for row in rows] == [
        *((name, Fraction(9, 10)) for name in ("ours", "matrix", "file", "GM")),
        ("GM", Fraction(1, 2)),
    ]
    assert len({row.measured.expected for row in rows[:3]}) == 1
    assert rows == compare_mechanisms(
        open_data("saxony"),
        {"ours": best, "matrix": best.mechanism, "file": str(tmp_path / "wh.json"), "GM": "GM"},
        alpha="0.9,1/2",
        metrics="rmse",
        repetitions=2,
        seed=1,
    )
    assert rows.tabulate().entries()[0]["mechanism"] == "ours"


def test_sizes_are_those_of_the_data_or_of_mechanisms_that_are_made():
    fair = design(DesignProblem(n=3, alpha="0.9", properties="F"))
    assert {row.n for row in compare_mechanisms("binomial:0.3", {"EM": fair}, repetitions=1, metrics="rmse")} == {3}
    with pytest.raises(InputError, match="n must be given for uniform, got none; try n = 8"):
        compare_mechanisms("uniform", "GM", alpha="0.9")
    with pytest.raises(InputError, match=r"mechanism must have n = 12 like the groups, got n = 3 in EM"):
        compare_mechanisms("saxony", {"EM": fair})
    with pytest.raises(InputError, match="give alpha or epsilon, got neither"):
        compare_mechanisms("saxony", {"GM": "GM"})
    with pytest.raises(InputError, match=r"mechanism must have a finite epsilon, got a zero beside .* in bare"):
        compare_mechanisms("binomial:0.3", {"bare": Mechanism(((1, 0), (0, 1)), 1)})


def test_a_mechanism_by_its_name(tmp_path):
    assert make_mechanism("gm", 4, "0.9").weights == make_mechanism("GM", 4, Fraction(9, 10)).weights
    best = design(DesignProblem(n=4, alpha="0.9", properties="WH,CM", loss="L1"))
    assert make_mechanism("design:WH,CM:L1", 4, alpha="0.9").weights == best.mechanism.weights
    export(best, tmp_path / "d.json")
    assert make_mechanism(str(tmp_path / "d.json"), 4).weights == best.mechanism.weights
    assert make_mechanism("WH", 4, "0.9", loss="L1").n_inputs == 5
    with pytest.raises(InputError, match="give alpha or epsilon, got neither"):
        make_mechanism("GM", 4)
    with pytest.raises(InputError, match="did you mean GM"):
        make_mechanism("GMM", 4, "0.9")


def test_a_law_is_compared_at_each_size():
    law = design_law(alpha="4/5", properties="WH,CM")
    rows = compare_mechanisms("binomial:0.3", {"ours": law}, n="12,20", metrics="rmse", repetitions=1, seed=1)
    assert [(row.n, row.alpha) for row in rows] == [(12, Fraction(4, 5)), (20, Fraction(4, 5))]
    alone = compare_mechanisms("binomial:0.3", {"ours": law.design(20)}, metrics="rmse", repetitions=1, seed=1)
    assert rows[1].measured.expected == alone[0].measured.expected
    with pytest.raises(InputError, match="n must be given for binomial"):
        compare_mechanisms("binomial:0.3", {"ours": law})
