"""Forecasts of a release before the draw: design times, and bytes of its record."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction

from mechdesign.counts.release import RELEASED
from mechdesign.releases.designing import DesignedSizes, GivenMechanism
from mechdesign.releases.record import INTERVALS, LawEntry, ReleaseRecord, SizeEntry, needed_format
from mechdesign.releases.record_document import record_text
from mechdesign.releases.statement import errors_text
from mechdesign.version import __version__

MADE_AT_ONCE = 20.0
"""Seconds of work up to which all designs are made, so that the bytes are known."""

SAMPLES = (32, 48)
"""Else designs for these sizes are made, and the bytes of the others follow from theirs by a power of n.

They are too large to be canonical, as most of the others are."""

MOST_BYTES = 1 << 28
"""A longer record is refused by `python -m mechdesign.verify`."""

MOST_SECONDS = 7 * 24 * 3600.0
NO_DIGEST = "0" * 64

LAW_WORDS = "Here a law is one formula for the noise, for groups of all these sizes, and proved for each."
"""What the words of the privacy statement, by the law, mean; to whoever has no record of it yet."""


@dataclass(frozen=True)
class Forecast:
    """The forecast of a release: its cost in time and bytes.

    Attributes:
        seconds: of the designs, of one processor.
        record_bytes: of the record.
        is_made: whether the designs were made to find both; else they are estimates.
        by_law: how many of the sizes would be released by one law.
        errors: how far the released counts would be from the true ones, as the privacy statement will say it, and what
            a law is where there is one; None where the designs were not made.
    """

    seconds: float
    record_bytes: int
    is_made: bool
    by_law: int = 0
    errors: str | None = None

    @property
    def obstacle(self) -> str | None:
        """Why the release is beyond what can be done; None where it is not."""
        if self.record_bytes > MOST_BYTES:
            return f"its record would have more than 2^28 = {MOST_BYTES} bytes, which mechdesign.verify refuses"
        if self.seconds > MOST_SECONDS:
            return "its designs would take more than a week"
        return None


def forecast_release(
    sizes: Mapping[int, int],
    designs: DesignedSizes | GivenMechanism,
    confidence: Fraction | None = None,
    has_key: bool = False,
    patience: float = MADE_AT_ONCE,
) -> Forecast:
    """Foretell time and bytes of a release; nothing is drawn, and nothing is written.

    Args:
        sizes: number of groups of each size.
        designs: what they would be released by.
        confidence: of intervals, None for none.
        has_key: whether the record would have a code of the input.
        patience: seconds of work up to which the designs are made.

    Raises:
        InputError: for a size that the designs cannot have.
    """
    started = time.perf_counter()
    by_law: list[int] = []
    if isinstance(designs, DesignedSizes):
        by_law = designs.choose(sizes)
        own = {size: sizes[size] for size in sizes.keys() - set(by_law)}
        seconds = sum(map(designs.request.seconds, own))
        if seconds > patience:
            served = {size: sizes[size] for size in by_law}
            more = _bytes(_record(designs, served, confidence, has_key)) if by_law else 0
            seconds += time.perf_counter() - started
            return Forecast(seconds, more + _estimated(designs, own, confidence, has_key), False, len(by_law))
        for size in own:
            designs.entry(size)
    record = _record(designs, sizes, confidence, has_key)
    errors = errors_text(record) + (f" {LAW_WORDS}" if by_law else "")
    return Forecast(time.perf_counter() - started, _bytes(record), True, len(by_law), errors)


def _estimated(designs: DesignedSizes, sizes: Mapping[int, int], confidence: Fraction | None, has_key: bool) -> int:
    """Add up the bytes of all designs by `bytes(n) = b n^p` through two samples."""
    first, second = (_bytes(_record(designs, {size: 1}, confidence, has_key)) for size in SAMPLES)
    power = max(0.0, math.log(second / first) / math.log(SAMPLES[1] / SAMPLES[0]))
    return math.ceil(math.fsum(second * (size / SAMPLES[1]) ** power for size in sizes))


def _bytes(record: ReleaseRecord) -> int:
    return len(record_text(record).encode())


def _record(
    designs: DesignedSizes | GivenMechanism, sizes: Mapping[int, int], confidence: Fraction | None, has_key: bool
) -> ReleaseRecord:
    """Make a record of these groups, whose names are short and whose digests are none."""
    rising = sorted(sizes)
    served = [] if designs.law is None else designs.choose(rising)
    own = sorted(set(rising) - set(served))
    entries = tuple(SizeEntry(size, sizes[size], designs.entry(size)) for size in own)
    law = None
    if served and designs.law is not None:
        law = LawEntry({size: sizes[size] for size in served}, designs.law.entry)
    return ReleaseRecord(
        column="count",
        group="group",
        unit="person",
        unit_column=None,
        alpha=designs.alpha,
        sizes=entries,
        columns=("group", "size", RELEASED, *(() if confidence is None else INTERVALS)),
        size_column="size",
        output_digest=NO_DIGEST,
        input_hmac=NO_DIGEST if has_key else None,
        simulation=False,
        version=__version__,
        date=datetime.now(UTC).date().isoformat(),
        confidence=confidence,
        format=needed_format(entries, confidence, "group", law),
        law=law,
    )
