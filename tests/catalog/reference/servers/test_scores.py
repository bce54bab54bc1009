"""Plain servers score reports without bias, exactly, and agree with the servers of all reports at once."""

import numpy as np
import pytest
from draw_tree import law_of
from flat_oracles import SMALL

from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.reports import joined
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.flat import FLAT_CLIENTS
from mechdesign_catalog.reference.registry import reference_row, report_of
from mechdesign_catalog.reference.servers.scores import FLAT_SCORES, exact_shares

every = pytest.mark.parametrize("label", SMALL)


def rows_of(oracle, count):
    """Reports of users with one item after the other."""
    words = seeded_words(3)
    stream = ByteStream(lambda length: words((length + 7) // 8).tobytes()[:length])
    return [reference_row(oracle, number % oracle.k, stream) for number in range(count)]


def test_every_client_has_a_server():
    assert set(FLAT_SCORES) == set(FLAT_CLIENTS)


@every
def test_plain_servers_agree_with_those_of_all_reports(label):
    oracle = SMALL[label]()
    rows = rows_of(oracle, 40)
    reports = joined([report_of(oracle, row) for row in rows])
    found = np.atleast_1d(oracle.estimate(oracle.aggregate(reports)))
    assert found == pytest.approx([float(one) for one in exact_shares(oracle, rows)], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("label", [label for label in SMALL if not label.startswith("hcms")])
def test_scores_are_unbiased_exactly(label):
    """Over the law of one user's reports the mean score is 1 for the own item, and 0 for every other one.

    Of a mean oracle it is the own number. (HCMS is unbiased over its public hashes; given these, it is not.)
    """
    oracle = SMALL[label]()
    for value in {0, oracle.k - 1}:
        law = law_of(lambda draws, value=value: tuple(reference_row(oracle, value, draws).items()))
        scored = [
            [chance * score for score in FLAT_SCORES[type(oracle)](oracle, dict(row))] for row, chance in law.items()
        ]
        means = [sum(of_item) for of_item in zip(*scored, strict=True)]
        if isinstance(oracle, OneBitMean):
            assert means == [oracle.maximum * value / (oracle.k - 1)]
        else:
            assert means == [int(item == value) for item in range(oracle.k)]
