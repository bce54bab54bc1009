"""Plain servers of levels and tables agree with those of all reports at once, and refuse what tells too little."""

import math
from itertools import product

import numpy as np
import pytest
from draw_tree import law_of
from system_oracles import ATTRIBUTES, LEVELS, oracle_of

from mechdesign import NoAnswerError, Privacy
from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.marginals.registry import parse_marginal_oracle
from mechdesign_catalog.multidimensional.tables import subsets_of
from mechdesign_catalog.oracles.levels.signed_hadamard import SignedHrr
from mechdesign_catalog.oracles.reports import joined
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.registry import ATTRIBUTE_CLIENTS, LEVEL_CLIENTS, reference_row, report_of
from mechdesign_catalog.reference.servers.estimates import exact_estimates
from mechdesign_catalog.reference.servers.level_scores import LEVEL_ESTIMATES, NODE_SCORES
from mechdesign_catalog.reference.servers.table_scores import TABLES


def rows_of(oracle, values, count):
    """Reports of users who have one of these values after the other."""
    words = seeded_words(3)
    stream = ByteStream(lambda length: words((length + 7) // 8).tobytes()[:length])
    return [reference_row(oracle, values[number % len(values)], stream) for number in range(count)]


def state_of(oracle, rows):
    return oracle.aggregate(joined([report_of(oracle, row) for row in rows]))


def test_every_client_has_a_server():
    assert set(LEVEL_ESTIMATES) == set(LEVEL_CLIENTS)
    assert set(TABLES) == set(ATTRIBUTE_CLIENTS)


@pytest.mark.parametrize("label", LEVELS)
def test_items_are_those_that_the_server_of_levels_estimates(label):
    oracle = LEVELS[label]
    rows = rows_of(oracle, range(oracle.k), 60)
    exact = exact_estimates(oracle, rows)
    assert sum(exact) == 1 or label == "hh, raw"
    assert [float(share) for share in exact] == pytest.approx(oracle.estimate(state_of(oracle, rows)), abs=1e-13)


@pytest.mark.parametrize("text", ATTRIBUTES)
def test_tables_are_those_that_the_server_of_attributes_estimates(text):
    oracle = oracle_of(text)
    rows = rows_of(oracle, list(product(*map(range, oracle.domains))), 120)
    subsets = subsets_of(len(oracle.domains), oracle.way)
    tables = oracle.raw.estimate(state_of(oracle, rows), subsets)
    for exact, table in zip(exact_estimates(oracle, rows), tables, strict=True):
        np.testing.assert_allclose([float(share) for share in exact], table, rtol=0, atol=1e-12)


@pytest.mark.parametrize("text", ["smp", "margps", "calm", "marght", "inpht"])
def test_a_table_that_nobody_reported_about_has_no_estimate(text):
    oracle = oracle_of(text)
    with pytest.raises(NoAnswerError, match="must have a report, got none"):
        exact_estimates(oracle, rows_of(oracle, [(0,) * len(oracle.domains)], 1))


def test_a_level_that_nobody_reported_about_has_no_estimate():
    with pytest.raises(NoAnswerError, match="each level must have a report, got none of level"):
        exact_estimates(LEVELS["haar"], rows_of(LEVELS["haar"], [0], 1))


def test_signs_are_scored_without_bias_exactly():
    """Over the law of one report the mean score is the own sign at the own place, and 0 at every other one."""
    oracle = SignedHrr(8, Privacy(alpha="1/3"))
    law = oracle.report_law()
    for item in range(oracle.k):
        place, minus = divmod(item, 2)
        scored = [
            [chances[item] * score for score in NODE_SCORES[SignedHrr](oracle, {"report": report})]
            for (report,), chances in law.items()
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
    oracle = parse_marginal_oracle(text, domains, Privacy(alpha=alpha))
    value = tuple(k - 1 for k in domains)
    for table in exact_estimates(oracle, all_rows(oracle, value)):
        assert table == [0] * (len(table) - 1) + [1]


@pytest.mark.parametrize(
    "label", [label for label in LEVELS if label not in ("hh, the least noise", "hh2, nodes with padding")]
)
def test_items_are_unbiased_exactly(label):
    """Of users with one item, each report as often as its chance says, that item has all of them.

    Two oracles are left out: their chances have denominators of millions of users.
    """
    oracle = LEVELS[label]
    for item in {0, oracle.k // 2, oracle.k - 1}:
        assert exact_estimates(oracle, all_rows(oracle, item)) == [int(one == item) for one in range(oracle.k)]


def all_rows(oracle, value):
    """The reports of as few users with one value as can have every report as often as its chance says."""
    law = law_of(lambda draws: tuple(reference_row(oracle, value, draws).items()))
    common = math.lcm(*(chance.denominator for chance in law.values()))
    counts = [int(chance * common) for chance in law.values()]
    return [dict(row) for row, count in zip(law, counts, strict=True) for _ in range(count // math.gcd(*counts))]
