"""Estimators of tables from collected reports, by name."""

from collections.abc import Callable
from dataclasses import dataclass

from mechdesign.errors import InputError
from mechdesign.names import require_known
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.attributes.marginal_oracle import MarginalOracle
from mechdesign_catalog.systems.tables.consistency.agreeing_tables import AgreeingTables
from mechdesign_catalog.systems.tables.consistency.max_entropy_tables import MaxEntropyTables
from mechdesign_catalog.systems.tables.consistency.simplex_tables import SimplexTables
from mechdesign_catalog.systems.tables.estimates import LinearTables, TableSource
from mechdesign_catalog.systems.tables.inputs.decoded_tables import EmTables, LikelihoodTables
from mechdesign_catalog.systems.tables.inputs.inpem import InpEm


@dataclass(frozen=True)
class TablePost:
    """A way to estimate tables: its name, what it does, whether its shares are unbiased, and what makes the tables.

    `oracles` names the oracles that it goes with; all of them where it is empty. `larger` says that it also makes
    tables of more than k attributes.
    """

    name: str
    title: str
    unbiased: bool
    make: Callable[[MarginalOracle, State], TableSource]
    oracles: tuple[str, ...] = ()
    larger: bool = False

    def most_attributes(self, oracle: MarginalOracle) -> int:
        """Return how many attributes a table may have."""
        return len(oracle.domains) if self.larger else oracle.way


def _norm_sub(oracle: MarginalOracle, state: State) -> TableSource:
    return SimplexTables(LinearTables(oracle, state))


def _priview(oracle: MarginalOracle, state: State) -> TableSource:
    return AgreeingTables(LinearTables(oracle, state))


def _max_entropy(oracle: MarginalOracle, state: State) -> TableSource:
    return MaxEntropyTables(AgreeingTables(LinearTables(oracle, state)))


def _em(oracle: MarginalOracle, state: State) -> TableSource:
    return EmTables(LinearTables(oracle, state, "raw"))


def _likelihood(oracle: MarginalOracle, state: State) -> TableSource:
    return LikelihoodTables(LinearTables(oracle, state, "raw"))


DEFAULT_POST = "least-squares"

TABLE_POSTS: dict[str, TablePost] = {
    post.name: post
    for post in (
        TablePost(DEFAULT_POST, "all tables agree and total 1, by least squares", True, LinearTables),
        TablePost(
            "raw", "as published, each table by itself", True, lambda oracle, state: LinearTables(oracle, state, "raw")
        ),
        TablePost("priview", "the nearest tables that agree and have no negative share, to 1e-6", False, _priview),
        TablePost(
            "max-entropy", "as priview, and larger tables by maximum entropy (CALM)", False, _max_entropy, larger=True
        ),
        TablePost(
            "norm-sub", "each least-squares table by itself to the nearest without negative shares", False, _norm_sub
        ),
        TablePost("em", "as published for inpem, by EM until no share changes by 1e-5", False, _em, (InpEm.name,)),
        TablePost("likelihood", "each table what makes inpem's reports most likely", False, _likelihood, (InpEm.name,)),
    )
}
"""Ways to estimate tables, by what `--post` names them."""


def find_post(name: str, oracle: MarginalOracle) -> TablePost:
    """Find the way to estimate tables of that name.

    Raises:
        InputError: for an unknown name, with the nearest known one, or a way that does not go with the oracle.
    """
    chosen = TABLE_POSTS[require_known(name, TABLE_POSTS, "post")]
    if chosen.oracles and oracle.name not in chosen.oracles:
        raise InputError(f"post {chosen.name} must be of reports by {', '.join(chosen.oracles)}, got {oracle.name}")
    return chosen


def table_source(oracle: MarginalOracle, state: State, post: str = DEFAULT_POST) -> TableSource:
    """Make the tables of collected reports, in the way that `post` names; errors as `find_post`."""
    return find_post(post, oracle).make(oracle, state)
