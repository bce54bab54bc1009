"""Plain servers of levels and tables agree with those of all reports at once, and refuse what tells too little."""

from itertools import product

import numpy as np
import pytest
from system_oracles import ATTRIBUTES, LEVELS, oracle_of

from mechdesign import NoAnswerError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.multidimensional.tables import subsets_of
from mechdesign_catalog.oracles.reports import joined
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.registry import ATTRIBUTE_CLIENTS, LEVEL_CLIENTS, reference_row, report_of
from mechdesign_catalog.reference.servers.estimates import exact_estimates
from mechdesign_catalog.reference.servers.level_scores import LEVEL_ESTIMATES
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
