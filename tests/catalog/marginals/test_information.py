"""What a report about several attributes tells; `check_oracle` holds it against each oracle's own law."""

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.marginals.registry import parse_marginal_oracle
from mechdesign_catalog.oracles import information


def test_hashes_of_joint_items_are_said_to_be_idealised(monkeypatch):
    oracle = parse_marginal_oracle("inpolh", (2, 2), Privacy(epsilon=1))
    monkeypatch.setattr(information, "MOST_CHANCES", 0)
    assert not oracle.information().is_exact
