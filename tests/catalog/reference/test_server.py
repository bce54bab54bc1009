"""The reference server estimates without bias, exactly, and tells where reports say too little."""

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from draw_tree import law_of
from flat_oracles import SMALL
from random_tasks import stated
from system_oracles import ATTRIBUTES, LEVELS, oracle_of

from mechdesign import NoAnswerError, Privacy
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.workloads.ordered import Prefixes
from mechdesign_catalog.marginals.registry import parse_marginal_oracle
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle
from mechdesign_catalog.oracles.levels.signed_hadamard import SignedHrr
from mechdesign_catalog.oracles.reports import State
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.stated import Stated
from mechdesign_catalog.reference.systems import exact_estimates, report
from mechdesign_catalog.reference.vectors.flat_cases import HALVES


def weighed_estimates(known, value):
    """The mean of what is estimated from each report alone, over the law of one user's reports."""
    law = law_of(lambda draws: tuple(report(known, value, draws).items()))
    means = defaultdict(Fraction)
    for row, chance in law.items():
        for item, share in enumerate(exact_estimates(known, [dict(row)])):
            means[item] += chance * share
    return list(means.values())


@pytest.mark.parametrize("label", [label for label in SMALL if not label.startswith(("hcms", "onebitmean"))])
def test_shares_are_unbiased_exactly(label):
    """(HCMS is unbiased over its public hashes; given these, it is not.)"""
    oracle = SMALL[label]()
    for value in {0, oracle.k - 1}:
        assert weighed_estimates(stated(oracle), value) == [int(item == value) for item in range(oracle.k)]


def test_the_prior_of_a_design_for_a_workload_weighs_more_rows_than_items():
    """Scores z of an item are those of least variance: sum of `m z n` over rows is 0 where n has the mean 0 for all.

    Items have rows of chances (2, 1, 2)/5 and (1, 2, 2)/5, so n = (2, 2, -3); m = (7, 5, 8)/4 by the prior 3 : 1. The
    scores of item 0 solve `2a + b + 2c = 5`, `a + 2b + 2c = 0`, `7a + 5b = 12c`. (By an even prior: 3, -2, 1/2.)
    """
    rows = RowMechanism(Fraction(1, 2), ("10", "01", "11"), (1, 1, 1), 5)
    oracle = WorkloadOracle.of(rows, Prefixes(2), (3, 1))
    for row, score in enumerate([Fraction(17, 6), Fraction(-13, 6), Fraction(3, 4)]):
        assert exact_estimates(stated(oracle), [{"row": row}]) == [score, 1 - score]
        state = State(oracle.parameters, 1, np.eye(3, dtype=np.int64)[row])
        assert oracle.estimate(state) == pytest.approx([float(score), float(1 - score)], rel=1e-14)


def test_the_mean_of_numbers_is_unbiased_exactly():
    oracle = SMALL["onebitmean"]()
    for value in range(oracle.k):
        assert weighed_estimates(stated(oracle), value) == [oracle.maximum * Fraction(value, oracle.k - 1)]


def test_signs_are_estimated_without_bias_exactly():
    """Over the law of one report the mean is the own sign at the own place, and 0 at every other one."""
    oracle = SignedHrr(8, Privacy(alpha="1/3"))
    known, law = Stated(oracle="signed-hrr", k=8, turned=Fraction(1, 4)), oracle.report_law()
    for item in range(oracle.k):
        place, minus = divmod(item, 2)
        scored = [
            [chances[item] * score for score in exact_estimates(known, [{"report": told}])]
            for (told,), chances in law.items()
        ]
        means = [sum(of_place) for of_place in zip(*scored, strict=True)]
        assert means == [(-1) ** minus * (one == place) for one in range(oracle.places)]


UNBIASED = {
    "spl": ((2, 3), "1/4"),
    "smp": ((2, 3), "1/2"),
    "rs+fd:encoding=grr": ((2, 3), "3/4"),
    "rs+fd:encoding=oue-z": ((2, 2), "3/5"),
    "inprr:sue": ((2, 2), "1/4"),
    "inprr:oue": ((2, 2), "1/2"),
    "inpps": ((2, 3), "1/2"),
    "inpolh": ((2, 2), "1/3"),
    "inpem": ((2, 2, 2), "1/8"),
    "margrr:sue": ((2, 2, 2), "1/4"),
    "margrr": ((2, 2, 2), "3/4"),
    "margps": ((2, 2, 3), "1/2"),
    "calm:sets=0.1.2+0.1+1.2": ((2, 2, 2), "1/3"),
    "marght": ((2, 2, 2), "1/2"),
    "inpht": ((2, 2, 2), "1/2"),
    "inpht:draw=uniform": ((2, 3), "1/2"),
    "inpes:basis=walsh:draw=uniform": ((4, 2), "1/2"),
}


@pytest.mark.parametrize("text", UNBIASED)
def test_tables_are_unbiased_exactly(text):
    """Of users with one tuple, each report as often as its chance says, every table is the tuple's cell."""
    domains, alpha = UNBIASED[text]
    known = stated(parse_marginal_oracle(text, domains, Privacy(alpha=alpha)))
    for table in exact_estimates(known, all_rows(known, tuple(k - 1 for k in domains))):
        assert table == [0] * (len(table) - 1) + [1]


@pytest.mark.parametrize(
    "label", [label for label in LEVELS if label not in ("hh, the least noise", "hh2, nodes with padding")]
)
def test_items_are_unbiased_exactly(label):
    """Of users with one item, each report as often as its chance says, that item has all of them.

    Two oracles are left out: their chances have denominators of millions of users.
    """
    oracle = LEVELS[label]
    known = stated(oracle)
    for item in {0, oracle.k // 2, oracle.k - 1}:
        assert exact_estimates(known, all_rows(known, item)) == [int(one == item) for one in range(oracle.k)]


def all_rows(known, value):
    """The reports of as few users with one value as can have every report as often as its chance says."""
    law = law_of(lambda draws: tuple(report(known, value, draws).items()))
    common = math.lcm(*(chance.denominator for chance in law.values()))
    counts = [int(chance * common) for chance in law.values()]
    return [dict(row) for row, count in zip(law, counts, strict=True) for _ in range(count // math.gcd(*counts))]


def one_report(oracle, value):
    return [report(stated(oracle), value, ByteStream.of_system())]


@pytest.mark.parametrize("text", ["smp", "margps", "calm", "marght", "inpht"])
def test_a_table_that_nobody_reported_about_has_no_estimate(text):
    oracle = oracle_of(text)
    with pytest.raises(NoAnswerError, match="must have a report, got none"):
        exact_estimates(stated(oracle), one_report(oracle, (0,) * len(ATTRIBUTES[text])))


def test_a_level_that_nobody_reported_about_has_no_estimate():
    with pytest.raises(NoAnswerError, match="each level must have a report, got none of level"):
        exact_estimates(stated(LEVELS["haar"]), one_report(LEVELS["haar"], 0))


def test_items_that_no_reports_tell_apart_have_no_estimate():
    with pytest.raises(NoAnswerError, match="reports must tell the share of each item"):
        exact_estimates(stated(HALVES), one_report(HALVES, 0))
