"""Local oracles compared in simulation: what is drawn anew, against the exact expectation."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.of_oracles import (
    OracleComparison,
    collect_once,
    compare_oracles,
    estimate_once,
    measure_oracles,
)
from mechdesign_catalog.datasets.items import open_items
from mechdesign_catalog.datasets.items.domain import count_items
from mechdesign_catalog.oracles import make_oracle, parse_oracle

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
    first, second = (estimate_once(TITANIC, oracle, (3, 0, 7)) for _ in range(2))
    assert np.array_equal(first, second)
    assert np.array_equal(estimate_once(TITANIC, replace(oracle, seed=9), (3, 0, 7)), first)
    sharp = make_oracle(
        "hcms", TITANIC.data.k, Privacy(epsilon=100), hashes=1, width=2
    )  # no noise but the draw of places
    free = [estimate_once(TITANIC, sharp) for _ in range(12)]
    assert np.ptp([estimate[0] for estimate in free]) > 0.5


def test_from_python_as_from_the_command_line():
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
    with pytest.raises(InputError, match="give alpha or epsilon, got neither"):
        compare_oracles(own)
    with pytest.raises(InputError, match="did you mean grr"):
        compare_oracles(own, "gr", epsilon=1)


@pytest.mark.parametrize(("name", "is_told"), [("haar", False), ("hh:b=4", False), ("hh:b=4:estimate=raw", True)])
def test_answers_are_told_one_by_one_only_where_they_are_no_sums(name, is_told):
    data = open_items("mixture", seed=1)
    comparison = OracleComparison.of(data, name, epsilon=1, workload="ranges", simulate="aggregate")
    oracle = parse_oracle(name, data.k, Privacy(epsilon=1))
    assert (collect_once(comparison, oracle, (1,)).answer is not None) == is_told
    assert collect_once(replace(comparison, post="norm-sub"), oracle, (1,)).answer is None
