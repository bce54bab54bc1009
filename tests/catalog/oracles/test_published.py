"""Whether a mechanism is of a paper: what lists, documents and the page say of it."""

import pytest

from mechdesign import Privacy
from mechdesign_catalog.marginals.registry import MARGINAL_CLASSES, parse_marginal_oracle
from mechdesign_catalog.oracles import parse_oracle
from mechdesign_catalog.oracles.registry import FLAT_ORACLES

ONE = Privacy(epsilon=1)

OWN = (
    *("hh:b=2:in=ss", "hh:b=4:in=ss-hrr", "hh:b=4:levels=ranges", "hh:b=4:levels=3-1", "haar:levels=optimal"),
    *("hh2:b=2:sides=4x4", "haar2:sides=4x4", "design:none:L0"),
)
PAPERS = (*FLAT_ORACLES, "hh:b=2", "hh:b=4:in=hrr", "hh:b=4:levels=1-1", "haar", "haar:levels=uniform")


@pytest.mark.parametrize("name", [*OWN, *PAPERS])
def test_own_oracles_on_items_are_those_that_no_paper_has(name: str) -> None:
    assert parse_oracle(name, 16, ONE).is_published == (name in PAPERS)


@pytest.mark.parametrize("name", [kind.name for kind in MARGINAL_CLASSES])
def test_systems_for_tables_are_of_papers_but_for_two(name: str) -> None:
    assert parse_marginal_oracle(name, (2, 2, 2, 2), ONE).is_published == (name not in ("inpht", "inpes"))


def test_coefficients_are_published_where_they_are_drawn_alike() -> None:
    assert parse_marginal_oracle("inpht:draw=uniform", (2, 2, 2), ONE).is_published
    assert parse_marginal_oracle("inpht:k=1", (2, 2, 2), ONE).is_published  # each attribute is needed as much
    assert not parse_marginal_oracle("inpes:draw=uniform", (2, 2, 2), ONE).is_published
