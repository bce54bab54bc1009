"""From files of reports to estimated frequencies: what the server does."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.oracles.collection.report_files import Header, read_header, read_reports
from mechdesign_catalog.oracles.mean import MeanOracle
from mechdesign_catalog.oracles.oracle import FrequencyOracle, confidence_intervals, standard_errors
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.reports import Reports, State, require_same


@dataclass(frozen=True, eq=False)
class FrequencyEstimate:
    """The estimated share of the users for each item, with its standard error; shape (k,) each.

    `estimates` are unbiased, and standard errors and intervals are theirs; `frequencies` are what is told: the same,
    unless `post`, a post-processing, made others of them.
    """

    oracle: FrequencyOracle
    users: int
    estimates: Floats
    standard_errors: Floats
    frequencies: Floats
    post: str = "base"

    @classmethod
    def of(cls, oracle: FrequencyOracle, state: State) -> "FrequencyEstimate":
        """From the server's sums."""
        estimates = oracle.estimate(state)
        return cls(oracle, state.users, estimates, standard_errors(oracle, estimates, state.users), estimates)

    def processed(self, post: str, frequencies: Floats) -> "FrequencyEstimate":
        """The same with other frequencies, made by the post-processing of that name."""
        return replace(self, post=post, frequencies=frequencies)

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        """Confidence intervals for each item by itself, around the unbiased estimates."""
        return confidence_intervals(self.oracle, self.estimates, self.users, level)

    def csv_bytes(self, items: Sequence[str]) -> bytes:
        """Columns item, frequency, standard_error; floats are the shortest decimals that read back the same."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("item", "frequency", "standard_error"))
        writer.writerows(zip(items, self.frequencies.tolist(), self.standard_errors.tolist(), strict=True))
        return stream.getvalue().encode()


def common_header(paths: Sequence[Path]) -> Header:
    """The header that files of reports share; its seed is that of the first seeded one.

    Raises:
        InputError: for no file, the same file or a copy of it twice, several rounds of one memory, or files of
            different oracles, parameters or domains.
    """
    if not paths:
        raise InputError("at least one file of reports must be given, got none")
    resolved = [path.resolve() for path in paths]
    for path in paths:
        if resolved.count(path.resolve()) > 1:
            raise InputError(f"each file of reports must be given once, got {path} twice")
    headers = [read_header(path) for path in paths]
    first, *others = headers
    for path, other in zip(paths[1:], others, strict=True):
        require_same(first.parameters, other.parameters, f"reports in {path}")
        if other.domain_digest != first.domain_digest:
            raise InputError(f"reports must be about one domain, got another one in {path} than in {paths[0]}")
    _require_other_users(dict(zip(paths, headers, strict=True)))
    return replace(first, seed=next((header.seed for header in headers if header.seed is not None), None))


def _require_other_users(headers: Mapping[Path, Header]) -> None:
    """Each user counts once, else standard errors are too small: no copies, and one round only of a memory.

    Equal digests alone are no copy: a few reports of two groups can be the same by chance.
    """
    contents: dict[tuple[str, str], Path] = {}
    memories: dict[str, Path] = {}
    for path, header in headers.items():
        earlier = contents.setdefault((header.identity, header.reports_digest), path)
        if earlier != path:
            raise InputError(f"each report must be given once, got {path}, which holds the same reports as {earlier}")
        if header.memory and (earlier := memories.setdefault(header.memory, path)) != path:
            raise InputError(
                f"rounds of one memory are reports of the same users and must be estimated each by itself, "
                f"got {path} beside {earlier}"
            )


def total_rows(paths: Sequence[Path]) -> int:
    """How many reports the headers speak of."""
    return sum(read_header(path).rows for path in paths)


class Adds(Protocol):
    """What adds reports up: an oracle for frequencies or for a mean."""

    def aggregate(self, reports: Reports) -> State:
        """The sums of these reports."""


def aggregate_files(oracle: Adds, paths: Sequence[Path], report: Callable[[int], None] = lambda users: None) -> State:
    """The sums of all reports in these files; `report` is told how many were read so far.

    Raises:
        InputError: for a damaged file, no reports at all, or reports that the oracle cannot have made.
    """
    state: State | None = None
    for path in paths:
        start = 0
        for reports in read_reports(path):
            try:
                part = oracle.aggregate(reports)
            except InputError as error:
                after = f", counted from row {start + 1} on" if start else ""
                raise InputError(f"{error} of {path}{after}") from None
            start += len(reports)
            state = part if state is None else state.merge(part)
            report(state.users)
    if state is None:
        raise InputError(f"reports must be at least one, got none in {paths[0]}")
    return state


@dataclass(frozen=True)
class MeanEstimate:
    """The estimated mean of the users' numbers, with its standard error."""

    oracle: MeanOracle
    state: State

    @property
    def mean(self) -> float:
        return self.oracle.estimate(self.state)

    @property
    def standard_error(self) -> float:
        return self.oracle.standard_error(self.state)

    def csv_bytes(self) -> bytes:
        """Columns mean, standard_error, and one row."""
        return f"mean,standard_error\n{self.mean!r},{self.standard_error!r}\n".encode()


def largest(frequencies: Floats, count: int) -> list[int]:
    """The items with the largest frequencies, the largest first; of equal ones the first."""
    return [int(item) for item in np.argsort(-frequencies, kind="stable")[:count]]
