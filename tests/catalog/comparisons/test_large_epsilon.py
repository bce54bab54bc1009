"""Stated variances at a large epsilon, where a difference of larger numbers would be their rounding alone."""

import contextlib
import ctypes
import ctypes.util
import platform
from fractions import Fraction

import numpy as np
import pytest

from mechdesign import DesignProblem, Model, Privacy, design, parse_workload
from mechdesign.workloads.marginals import Marginals
from mechdesign_catalog.comparisons.marginals_survey import marginal_oracles, rate_tables
from mechdesign_catalog.comparisons.workload_survey import rate, survey_workload
from mechdesign_catalog.systems.registry import oracle_of, parse_oracle
from mechdesign_catalog.systems.tables.inputs.inpem import InpEm

UPWARDS, DOWNWARDS = 0x800, 0x400
"""The modes of a processor of this kind, as the C library numbers them."""

KNOWS_MODES = pytest.mark.skipif(platform.machine() != "x86_64", reason="modes have other numbers")


@contextlib.contextmanager
def rounded(mode):
    """All floats are rounded so."""
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.fesetround(mode)
    try:
        yield
    finally:
        library.fesetround(0)


def in_both_modes(made, stated):
    """What is stated of what is made as usual, where floats are rounded up and where they are rounded down."""
    found = []
    for mode in (UPWARDS, DOWNWARDS):
        one = made()
        with rounded(mode):
            found.append(stated(one))
    return found


@KNOWS_MODES
@pytest.mark.parametrize(("words", "epsilon"), [("ranges", "20"), ("prefixes", "60"), ("grid:4,4", "20")])
def test_no_variance_of_a_workload_hangs_on_rounding(words, epsilon):
    workload, privacy = parse_workload(words, 16), Privacy(epsilon=epsilon)
    listed = survey_workload(workload, privacy, 10_000)
    trees = [parse_oracle(f"hh:b=4:in={kind}", 16, privacy) for kind in ("ss", "grr")]
    for oracle in (*(one.oracle for one in listed), *trees):
        high, low = in_both_modes(
            lambda oracle=oracle: oracle_of(oracle.parameters),
            lambda one: rate(one, workload, 10_000).average,
        )
        assert 0 < low == pytest.approx(high, rel=1e-6, abs=0), oracle.name


@KNOWS_MODES
@pytest.mark.parametrize("way", [1, 2])
def test_no_variance_of_tables_hangs_on_rounding(way):
    workload = Marginals((2, 2, 2), way)
    for oracle in marginal_oracles(workload, Privacy(epsilon=60)):
        for name in ("raw", "least_squares"):
            high, low = in_both_modes(
                lambda oracle=oracle: type(oracle).of_parameters(oracle.parameters),
                lambda one, name=name: rate_tables(one, getattr(one, name), workload, one.planned_users(100)).average,
            )
            assert 0 < low == pytest.approx(high, rel=1e-6, abs=0), oracle.title


@pytest.mark.parametrize("epsilon", ["10", "20", "40", "100"])
def test_a_design_that_is_randomized_response_is_told_as_it(epsilon):
    workload, privacy = parse_workload("prefixes", 8), Privacy(epsilon=epsilon)
    same, own = (parse_oracle(name, 8, privacy) for name in ("design:none:L0", "grr"))
    assert rate(same, workload, 100).average == pytest.approx(rate(own, workload, 100).average, rel=1e-9, abs=0)


@pytest.mark.parametrize("epsilon", ["1", "20", "40", "100"])
def test_a_cell_by_inverted_bits_is_told_exactly(epsilon):
    """At equal shares a cell of two attributes has the mean square `((1 + u)^2 + 2 u (1 + u) + u^2) / 4`."""
    oracle = InpEm((2, 2), Privacy(epsilon=epsilon), 2)
    turned = oracle.turned
    u = turned * (1 - turned) / (1 - 2 * turned) ** 2
    stated = rate_tables(oracle, oracle.raw, Marginals((2, 2), 2), 1).average
    assert stated == pytest.approx(float(u + u**2), rel=1e-12, abs=0)


@KNOWS_MODES
def test_labels_without_items_do_not_count():
    """Those of nested levels have tiny errors, whose inverses would cancel but for rounding."""
    privacy, workload = Privacy(epsilon="20"), parse_workload("prefixes", 24)
    high, low = in_both_modes(
        lambda: parse_oracle("warped-blocks", 24, privacy),
        lambda oracle: oracle.answer_variance(workload.queries(), np.full(24, 1 / 24), 1)[:-1],
    )
    assert high == pytest.approx(low, rel=1e-6, abs=0)
    exact = 5.925816877154355e-07  # solved in balls of 220 bits, from the chances that reports hold pairs of labels
    assert float(low.sum()) == pytest.approx(exact, rel=1e-6, abs=0)


def test_whole_numbers_of_any_length_make_a_design():
    found = design(DesignProblem(model=Model.ldp(16), epsilon="60", loss="L1"))
    assert found.status in ("exact", "certified")
    assert 0 < found.lower_bound <= found.score < found.lower_bound * (1 + Fraction(1, 10**6))
