"""Hold which marginal tables are asked for, and refuse what does not go together."""

from dataclasses import dataclass
from pathlib import Path

from mechdesign.errors import InputError
from mechdesign_catalog.collection.estimates.marginals_estimate import (
    checked_names,
    require_free_names,
    require_tables_fit,
)
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.marginals.consistency.posts import DEFAULT_POST, find_post
from mechdesign_catalog.multidimensional.marginal_oracle import MarginalOracle
from mechdesign_catalog.multidimensional.tables import subsets_of

DRAWN = 2
"""A picture has a table of at most so many attributes."""


@dataclass(frozen=True)
class AskedTables:
    """Hold what is asked for: one table by the names of its attributes, all tables, or neither of them.

    `post` names the way to estimate; least squares if it is not given.
    """

    marginal: tuple[str, ...]
    all_tables: bool
    post: str

    @classmethod
    def parse(cls, marginal: str | None, all_tables: bool, post: str | None) -> "AskedTables":
        """Parse the options.

        Raises:
            InputError: for both kinds of tables.
        """
        if marginal is not None and all_tables:
            raise InputError("exactly one of --marginal and --all must be given, got both")
        names = () if marginal is None else tuple(name.strip() for name in marginal.split(","))
        return cls(names, all_tables, DEFAULT_POST if post is None else post.strip().lower())

    @property
    def given(self) -> dict[str, object]:
        """What is asked for, by the names of the options."""
        return {"marginal": self.marginal or None, "all": self.all_tables or None}

    def check(self, oracle: MarginalOracle, attributes: Attributes, output: Path | None, plot: Path | None) -> None:
        """Refuse, before long files are read, what the reports cannot answer.

        Raises:
            InputError: for an unknown attribute or way to estimate, more attributes than were collected for, tables
                that do not fit the memory, or a file of no table.
        """
        find_post(self.post, oracle)
        if self.marginal:
            require_tables_fit(attributes, [checked_names(oracle, attributes, self.marginal, self.post)])
            if output is not None:
                require_free_names(self.marginal)
        elif output is not None and not self.all_tables:
            raise InputError("--output must be of --marginal A,B or --all, got neither of them")
        else:
            require_tables_fit(attributes, subsets_of(len(attributes), oracle.way if self.all_tables else 1))
        if plot is not None and not 1 <= len(self.marginal) <= DRAWN:
            got = f"{len(self.marginal)} attributes" if self.marginal else "none"
            raise InputError(f"--plot must be of a --marginal of one or two attributes, got {got}")
