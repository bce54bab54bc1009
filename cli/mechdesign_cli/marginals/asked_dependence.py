"""Hold what is asked about how attributes depend on each other, and refuse what does not go together."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mechdesign.errors import InputError
from mechdesign.machine import memory_limit, readable_bytes
from mechdesign.rational import as_rational
from mechdesign_catalog.dependence.associations import FALSE_DISCOVERIES
from mechdesign_catalog.dependence.interactions import require_pairs_fit
from mechdesign_catalog.multidimensional.marginal_oracle import MarginalOracle
from mechdesign_catalog.multidimensional.tables import subsets_of
from mechdesign_cli.files.targets import require_targets

CELL_BYTES = 150
"""Bytes that an item of a synthetic row takes while rows are written."""


@dataclass(frozen=True)
class AskedDependence:
    """Hold the files of associations and of the tree, synthetic rows and where they go, and the rate of false ones.

    `rate` is None where it was not given.
    """

    associations: tuple[Path, ...]
    rate: float | None
    tree: Path | None
    rows: int | None
    rows_output: Path | None

    @classmethod
    def parse(
        cls, associations: list[Path] | None, rate: str | None, tree: Path | None, rows: int | None, output: Path | None
    ) -> "AskedDependence":
        """Parse the options.

        Raises:
            InputError: for a rate that is none or goes with nothing, or rows without a file or a file without rows.
        """
        if (rows is None) != (output is None):
            given, other = ("--sample", "--sample-output") if output is None else ("--sample-output", "--sample")
            raise InputError(f"{given} goes with {other}, got it without")
        if rows is not None and rows < 1:
            raise InputError(f"sample must be a whole number of rows from 1 on, got {rows}")
        if rate is not None and not associations and tree is None and rows is None:
            raise InputError("--fdr goes with --association, --tree or --sample, got it without them")
        return cls(tuple(associations or ()), None if rate is None else _as_rate(rate), tree, rows, output)

    @property
    def given(self) -> dict[str, object]:
        """What is asked for, by the names of the options."""
        found = {"association": self.associations or None, "fdr": self.rate, "tree": self.tree, "sample": self.rows}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def learns_tree(self) -> bool:
        """Whether a tree is needed."""
        return self.tree is not None or self.rows is not None

    @property
    def tests_pairs(self) -> bool:
        """Whether pairs of attributes are tested: for their file, or for a forest."""
        return bool(self.associations) or self.rate is not None

    @property
    def used_rate(self) -> float:
        """The rate of false discoveries."""
        return FALSE_DISCOVERIES if self.rate is None else self.rate

    @property
    def data_files(self) -> list[Path]:
        """Files of rows."""
        found = [path for path in self.associations if path.suffix.lower() == ".csv"]
        return [*found, *([] if self.rows_output is None else [self.rows_output])]

    @property
    def pictures(self) -> list[Path]:
        """Files of pictures; of associations those that are no CSV files."""
        found = [path for path in self.associations if path.suffix.lower() != ".csv"]
        return [*found, *([] if self.tree is None else [self.tree])]

    def require_targets(self, others: Sequence[Path], sources: Sequence[Path]) -> None:
        """Refuse, before the work, files that could not be written, that are read, or that stand for two things.

        Raises:
            InputError: with the file.
        """
        require_targets(self.data_files, None, sources, (".csv",))
        for path in self.pictures:
            require_targets([], path, sources)
        own = [*self.data_files, *self.pictures]
        for place, path in enumerate(own):
            if path.resolve() in {other.resolve() for other in [*others, *own[:place]]}:
                raise InputError(f"each output must be a file of its own, got {path} for two")

    def check(self, oracle: MarginalOracle) -> None:
        """Refuse, before long files are read, what the reports cannot answer.

        Raises:
            InputError: for less than two attributes, tables of one attribute, or more rows than fit the memory.
        """
        if not self.given:
            return
        option = f"--{next(iter(self.given))}"
        if len(oracle.domains) < 2:
            raise InputError(f"{option} must be of two attributes or more, got reports of one")
        if oracle.way < 2:
            raise InputError(f"{option} must be of tables of two attributes, got reports of {oracle.title} for k=1")
        if self.tests_pairs:
            require_pairs_fit(oracle.domains, subsets_of(len(oracle.domains), 2))
        needed = CELL_BYTES * (self.rows or 0) * len(oracle.domains)
        if needed > memory_limit():
            raise InputError(
                f"sample must fit the memory ({readable_bytes(memory_limit())} of it may be used), got {self.rows} "
                f"rows, about {readable_bytes(needed)}"
            )


def _as_rate(text: str) -> float:
    rate = float(as_rational(text, "fdr"))
    if not 0 < rate < 1:
        raise InputError(f"fdr must be in (0, 1), such as 0.05 for 5 %, got fdr={text}")
    return rate
