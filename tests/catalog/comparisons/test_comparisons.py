"""Comparisons of mechanisms and oracles: every candidate by every metric, and rows that show themselves."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from html_pages import Page
from wording import refused

from mechdesign import DesignProblem, InputError, Loss, Mechanism, design, design_law, export
from mechdesign.counts.error_metrics import parse_metrics
from mechdesign.counts.measuring import measure
from mechdesign.documents.tabular import MOST_SHOWN
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.of_mechanisms import MechanismComparison, compare_mechanisms, measure_mechanisms
from mechdesign_catalog.comparisons.of_oracles import (
    OracleComparison,
    collect_once,
    compare_oracles,
    measure_oracles,
)
from mechdesign_catalog.comparisons.rows import ComparisonRows
from mechdesign_catalog.datasets.counts import People, open_data
from mechdesign_catalog.datasets.items import open_items
from mechdesign_catalog.datasets.items.domain import count_items
from mechdesign_catalog.mechanisms.candidates import parse_candidates
from mechdesign_catalog.systems import make_oracle, parse_oracle

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


def test_unusable():
    for changes in [
        {"alphas": ()},
        {"repetitions": 0},
        {"repetitions": 10**9},
        {"metrics": "error:3"},
        {"names": "RR"},
        {"names": "gone.json"},
    ]:
        with refused(InputError):
            measure_mechanisms(comparison(**changes))


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
    with refused(InputError, about="n"):
        compare_mechanisms("uniform", "GM", alpha="0.9")
    with refused(InputError, about="mechanism"):
        compare_mechanisms("saxony", {"EM": fair})
    with refused(InputError):
        compare_mechanisms("saxony", {"GM": "GM"})
    with refused(InputError, about="mechanism"):
        compare_mechanisms("binomial:0.3", {"bare": Mechanism(((1, 0), (0, 1)), 1)})


def test_a_law_is_compared_at_each_size():
    law = design_law(alpha="4/5", properties="WH,CM")
    rows = compare_mechanisms("binomial:0.3", {"ours": law}, n="12,20", metrics="rmse", repetitions=1, seed=1)
    assert [(row.n, row.alpha) for row in rows] == [(12, Fraction(4, 5)), (20, Fraction(4, 5))]
    alone = compare_mechanisms("binomial:0.3", {"ours": law.design(20)}, metrics="rmse", repetitions=1, seed=1)
    assert rows[1].measured.expected == alone[0].measured.expected
    with refused(InputError, about="n"):
        compare_mechanisms("binomial:0.3", {"ours": law})


TITANIC = OracleComparison(open_items("titanic"), ("hcms:hashes=3:width=4",), (Privacy(epsilon=5),), "mse", 400)


@pytest.mark.slow
def test_public_hashes_are_drawn_anew_as_the_expected_mse_has_them():
    """Three hashes to four places: collisions are nearly all of the error, and one draw of them tells nothing."""
    data = TITANIC.data
    found = measure_oracles(TITANIC, seed=11)[0].measured
    oracle = make_oracle("hcms", data.k, Privacy(epsilon=5), hashes=3, width=4)
    assert found.expected == pytest.approx(oracle.variance(data.frequencies, data.users).mean())
    assert found.expected > 5 * oracle.moments.items(data.frequencies).mean() / data.users
    assert found.standard_error is not None
    assert abs(found.mean - found.expected) <= 4 * found.standard_error
    assert found.standard_error < 0.1 * found.expected


def test_a_seed_draws_the_same_hashes_and_none_draws_others():
    oracle = make_oracle("hcms", TITANIC.data.k, Privacy(epsilon=5), hashes=3, width=4)
    first, second = (collect_once(TITANIC, oracle, (3, 0, 7)).items for _ in range(2))
    assert np.array_equal(first, second)
    assert np.array_equal(collect_once(TITANIC, replace(oracle, seed=9), (3, 0, 7)).items, first)
    sharp = make_oracle(
        "hcms", TITANIC.data.k, Privacy(epsilon=100), hashes=1, width=2
    )  # no noise but the draw of places
    free = [collect_once(TITANIC, sharp).items for _ in range(12)]
    assert np.ptp([estimate[0] for estimate in free]) > 0.5


def test_oracles_from_python_as_from_the_command_line():
    data = open_items("titanic:class")
    rows = compare_oracles(data, ["grr", "laplace"], alpha="1/2", metrics="rmse,bits", repetitions=2, seed=1)
    assert [(row.oracle, row.measured.metric) for row in rows] == [
        *(("grr", metric) for metric in ("rmse", "bits")),
        *(("laplace", metric) for metric in ("rmse", "bits")),
    ]
    assert {row.privacy.alpha for row in rows} == {Fraction(1, 2)}
    again = compare_oracles("titanic:class", "grr,laplace", alpha="1/2", metrics="rmse,bits", repetitions=2, seed=1)
    assert again.tabulate().entries() == rows.tabulate().entries()
    own = count_items(["a", "b", "a"], ["a", "b"], "three")
    assert {row.entry()["data"] for row in compare_oracles(own, "grr", epsilon=1, repetitions=1)} == {"three"}
    with refused(InputError):
        compare_oracles(own)
    with refused(InputError):
        compare_oracles(own, "gr", epsilon=1)


def test_answers_are_told_one_by_one_only_where_they_are_no_sums():
    for name, is_informative in [("haar", False), ("hh:b=4", False), ("hh:b=4:estimate=raw", True)]:
        data = open_items("mixture", seed=1)
        comparison = OracleComparison.of(data, name, epsilon=1, workload="ranges", simulate="aggregate")
        oracle = parse_oracle(name, data.k, Privacy(epsilon=1))
        assert (collect_once(comparison, oracle, (1,)).answer is not None) == is_informative
        assert collect_once(replace(comparison, post="norm-sub"), oracle, (1,)).answer is None


GROUPED = (People("a town", np.arange(100) % 3 == 0).grouped(4),)
MECHANISMS = MechanismComparison(
    parse_candidates("GM;UM"), GROUPED, (Fraction(1, 2),), "error-rate,rmse", Loss.parse("L0"), 3
)
ORACLES = OracleComparison(open_items("titanic"), ("grr", "olh"), (Privacy(epsilon=1),), "mse,max", 2)


@pytest.fixture(scope="module", params=["mechanisms", "oracles"])
def rows(request):
    if request.param == "mechanisms":
        return measure_mechanisms(MECHANISMS, seeded_words(1))
    return measure_oracles(ORACLES, seed=1)


def test_a_notebook_shows_every_cell(rows):
    page = Page(rows._repr_html_())
    assert page.cells == sum(len(row.entry()) for row in rows)
    for row in rows:
        assert all(value in page.texts for value in row.entry().values() if isinstance(value, str))


def test_a_repr_is_one_line(rows):
    names = ", ".join(dict.fromkeys(row.measured.metric for row in rows))
    assert repr(rows) == f"<Comparison: 4 rows; {names}>"
    assert len(repr(rows[0])) < 500
    assert rows == list(rows)


@pytest.mark.slow
def test_long_and_empty_comparisons_are_light(rows):
    long = ComparisonRows(list(rows) * 1000)
    page = Page(long._repr_html_())
    assert page.cells == MOST_SHOWN * len(rows[0].entry())
    assert f"the first {MOST_SHOWN} of 4000 rows" in page.texts
    assert len(repr(long)) < 200
    assert Page(ComparisonRows([])._repr_html_()).cells == 0


def test_names_are_escaped():
    (row, *_) = measure_mechanisms(MECHANISMS, seeded_words(1))
    evil = "<script>x</script>"
    assert evil in Page(ComparisonRows([replace(row, mechanism=evil)])._repr_html_()).texts
