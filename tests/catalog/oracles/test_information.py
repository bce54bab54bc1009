"""What a report tells where items have several shares, against the law in rationals."""

from fractions import Fraction

import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import information, make_oracle, parse_oracle
from mechdesign_catalog.oracles.information import set_information, sets_of_bits
from mechdesign_catalog.oracles.reports import ReportLaw

ONE = Privacy(epsilon=1)


def by_law(law: ReportLaw, counts: list[int]) -> np.ndarray:
    """Sum `q_u q_v / (s'q)` over the reports, each term a fraction."""
    k, total = len(counts), sum(counts)
    found = [[Fraction(0)] * k for _ in range(k)]
    for row in law.values():
        mean = sum((count * chance for count, chance in zip(counts, row, strict=True)), Fraction(0)) / total
        for u in range(k):
            for v in range(k) if mean else ():
                found[u][v] += row[u] * row[v] / mean
    return np.array(found, dtype=np.float64)


@pytest.mark.parametrize("name", ["grr", "oue", "olh", "ss:size=2", "hrr", "dbitflip"])
def test_items_of_several_shares_and_some_that_nobody_has(name):
    oracle, counts = parse_oracle(name, 5, Privacy(alpha="1/3")), [2, 2, 1, 0, 2]
    found = oracle.information_at(np.array(counts))
    assert found == pytest.approx(by_law(oracle.report_law(), counts), rel=1e-12)


def test_nodes_of_too_many_sizes_are_refused(monkeypatch):
    monkeypatch.setattr(information, "MOST_SIZES", 10)
    law = sets_of_bits(4, make_oracle("oue", 4, ONE).support)
    with pytest.raises(InputError, match="nodes must be of few sizes, got 3 sizes of 4 nodes"):
        set_information(law, np.array([1, 2, 3, 3]))


def test_many_hashes_are_taken_to_be_fully_random(monkeypatch):
    """Three items are hashed so exactly. More are not, by little."""
    for k, error in ((3, 1e-12), (8, 0.02)):
        oracle = make_oracle("olh", k, ONE)
        exact = oracle.information()
        with monkeypatch.context() as patch:
            patch.setattr(information, "MOST_CHANCES", 0)
            random = oracle.information()
            assert not make_oracle("hh", 4, ONE, b=2, in_="olh").information().is_exact
        assert (exact.is_exact, random.is_exact) == (True, False)
        assert random.matrix == pytest.approx(exact.matrix, rel=error)
        if k == 8:
            assert abs(random.matrix - exact.matrix).max() > 1e-4


def test_a_thousand_items():
    """OUE: a contrast of rare items has the variance of a rare item, and its own users' part is 1/k."""
    oracle = make_oracle("oue", 1000, ONE)
    found = oracle.information().matrix
    assert found.sum(axis=1) == pytest.approx(np.full(1000, 1000.0), rel=1e-9)
    assert 1 / (found[0, 0] - found[0, 1]) - 1 / 1000 == pytest.approx(float(oracle.moments.other), rel=1e-5)
