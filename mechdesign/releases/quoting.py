"""Quotes of a release before the draw: its cost, its publications, and its identity.

The identity tells it from every other release.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from mechdesign.counts.release import CHUNK_ROWS, ReleaseColumns, require_sizes
from mechdesign.documents.csv_rows import require_at_most, whole_numbers
from mechdesign.documents.sources import Source, open_table
from mechdesign.errors import InputError
from mechdesign.problem.privacy import loss_above, loss_text
from mechdesign.problem.properties import ordered
from mechdesign.rational import fraction_text, number_text
from mechdesign.releases.designing import DesignedSizes, GivenMechanism
from mechdesign.releases.forecasting import Forecast, forecast_release
from mechdesign.releases.inputs import InputColumns, counted_table
from mechdesign.releases.record import sizes_in_short, spent_alpha
from mechdesign.releases.secret_key import InputDigest
from mechdesign.verify.record import canonical

Read = Callable[[int], None]


@dataclass(frozen=True)
class ReleaseQuote:
    """The quote of one release: what it spends and publishes.

    Attributes:
        alpha: every group is released with alpha-DP.
        unit: what is protected.
        sizes: number of groups of each size.
        published: the columns that are published exactly, beside the released counts.
        values: of a category, each of which has a draw with half of the epsilon; else none.
        design: what is asked of the designs, or the digest of the one that is given.
        input_hmac: the code of the input's bytes under a secret key.
        identity: SHA-256 of everything that makes this release another one than any other of the same input.
        forecast: what it takes and how far the counts will be off, where that was asked.
    """

    alpha: Fraction
    unit: str
    sizes: Mapping[int, int]
    published: tuple[str, ...]
    values: tuple[str, ...]
    design: Mapping[str, str]
    input_hmac: str
    identity: str
    forecast: Forecast | None = None

    @property
    def groups(self) -> int:
        """Number of groups."""
        return sum(self.sizes.values())

    def entries(self) -> dict[str, Any]:
        """Return the quote as an object of JSON; epsilon is never below the loss."""
        return {
            "alpha": fraction_text(self.alpha),
            "alpha_text": number_text(self.alpha),
            "epsilon": loss_above(self.alpha),
            "epsilon_text": loss_text(self.alpha),
            "unit": self.unit,
            "groups": self.groups,
            "units": sum(size * groups for size, groups in self.sizes.items()),
            "sizes": sizes_in_short(sorted(self.sizes)),
            "published": list(self.published),
            "values": list(self.values),
            "design": dict(self.design),
            "input_hmac": self.input_hmac,
        }


def quote_release(
    path: Path,
    counted: InputColumns,
    designs: DesignedSizes | GivenMechanism,
    key: bytes,
    progress: Read,
    confidence: Fraction | None = None,
    patience: float | None = None,
) -> ReleaseQuote:
    """Read an input to its end and say what its release would spend; nothing is drawn.

    Args:
        path: the CSV file.
        counted: its columns.
        designs: what the groups would be released by.
        key: the secret key of the input's code.
        progress: told how many bytes were read.
        confidence: of the intervals that are asked for; they make another release.
        patience: seconds of work up to which designs are made for a forecast; None for no forecast.

    Raises:
        InputError: for columns that are missing, a bit, size or group that is unfit (naming its row), or groups that
            the designs cannot have.
    """
    code = InputDigest(key)
    with open_table(path, code) as source:
        values: tuple[str, ...] = ()
        if counted.group is not None:
            table, found = counted_table(source, path, counted, None, progress)
            columns, sizes, values = table.columns, Counter(found), table.values
        else:
            columns = ReleaseColumns.find(source.header, counted.column, counted.size, False, source.name)
            sizes = _sizes(source, columns, designs, progress)
    if isinstance(designs, GivenMechanism):
        designs.prepare(sizes, lambda done: None)
    else:
        served = set(designs.choose(sizes))
        designs.request.problem(max(sizes.keys() - served, default=1))  # a prior or a loss of numbers is of one size
    design, digest = _design_words(designs), code.result()
    names = [columns.header[columns.count], counted.group, counted.unit, counted.unit_column, counted.size]
    said = {"input": digest, "columns": names, "alpha": fraction_text(designs.alpha), **design}
    if values:
        said["category"] = [counted.category]
    if confidence is not None:
        said["intervals"] = fraction_text(confidence)
    identity = hashlib.sha256(canonical(said).encode()).hexdigest()
    published = tuple(columns.written()[:-1])
    spent = spent_alpha(designs.alpha, values)
    quote = ReleaseQuote(spent, counted.unit, sizes, published, values, design, digest, identity)
    if patience is None:
        return quote
    return replace(quote, forecast=forecast_release(sizes, designs, confidence, True, patience))


def _sizes(
    source: Source, columns: ReleaseColumns, designs: DesignedSizes | GivenMechanism, progress: Read
) -> Counter[int]:
    """Count the rows of each size of a table of counts."""
    sizes: Counter[int] = Counter()
    done = 0
    while rows := list(islice(source.rows, CHUNK_ROWS)):
        counts = whole_numbers([row[columns.count] for row in rows], "count", done, source.name)
        if isinstance(designs, GivenMechanism):
            n = designs.size
            require_at_most(counts, np.full(len(counts), n), done, source.name, f"the mechanism's n = {n}")
            sizes[n] += len(rows)
        else:
            assert columns.size is not None
            found = whole_numbers([row[columns.size] for row in rows], "size", done, source.name)
            require_sizes(found, done, source.name)
            require_at_most(counts, found, done, source.name, "its size")
            sizes.update(found.tolist())
        done += len(rows)
        progress(source.position.read)
    if not done:
        raise InputError(f"the input must have at least one row, got none in {source.name}")
    return sizes


def _design_words(designs: DesignedSizes | GivenMechanism) -> dict[str, str]:
    if isinstance(designs, GivenMechanism):
        entry = canonical(designs.entry(designs.size))
        return {"mechanism": hashlib.sha256(entry.encode()).hexdigest()}
    problem = designs.request.problem(1)
    return {
        **({} if designs.request.form is None else {"form": designs.request.form}),
        "properties": ",".join(ordered(problem.properties)) or "none",
        "loss": problem.loss.name,
        "prior": problem.prior.name,
    }
