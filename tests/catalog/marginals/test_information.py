"""What a report about several attributes tells, against each oracle's own law."""

import math

import numpy as np
import pytest
from system_oracles import ATTRIBUTES, oracle_of

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.marginals.registry import parse_marginal_oracle
from mechdesign_catalog.oracles import information


@pytest.mark.parametrize("text", ATTRIBUTES)
def test_information_is_that_of_the_law(text):
    oracle = oracle_of(text)
    k = math.prod(oracle.domains)
    rows = np.array([[float(chance) for chance in row] for row in oracle.report_law().values()])
    found, wanted = oracle.information(), np.zeros((k, k))
    for row in rows:
        wanted += np.outer(row, row) / row.mean()
    assert found.is_exact
    assert found.matrix == pytest.approx(wanted, rel=1e-10)


def test_hashes_of_joint_items_are_said_to_be_idealised(monkeypatch):
    oracle = parse_marginal_oracle("inpolh", (2, 2), Privacy(epsilon=1))
    monkeypatch.setattr(information, "MOST_CHANCES", 0)
    assert not oracle.information().is_exact
