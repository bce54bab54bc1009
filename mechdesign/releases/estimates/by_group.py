"""Exact intervals of every group of a release, by itself and for all groups at once."""

from dataclasses import dataclass
from pathlib import Path

from mechdesign.arguments import checked
from mechdesign.counts.estimation.estimate import CONFIDENCE
from mechdesign.documents.files import FilePath
from mechdesign.mechanism.notebook import one_line
from mechdesign.rational import Number
from mechdesign.releases.checking import read_release
from mechdesign.releases.intervals import GroupIntervals, interval_confidence
from mechdesign.releases.microdata import Name

Row = tuple[int, int, int, int, int, int]


@dataclass(frozen=True)
class GroupEstimates:
    """Size, released count and `low, high, low_all, high_all` of each group, in the order of the output.

    `columns` say what the names are. `names` are those of the groups, after that of its region where groups have
    regions, and before its value where a category was counted; of a table of counts the numbers of its rows, from 1.
    """

    columns: Name
    names: tuple[Name, ...]
    rows: tuple[Row, ...]

    def __repr__(self) -> str:
        return one_line("GroupEstimates", f"{len(self.rows)} groups")


@checked
def estimate_groups(output: FilePath, record: FilePath, *, confidence: Number = CONFIDENCE) -> GroupEstimates:
    """Give the exact interval of the true count of every group of a release.

    Low and high hold the true count of their group with a chance of at least `confidence`, whatever it is; low_all and
    high_all hold those of all groups at once with that chance. This is post-processing: it spends no privacy.

    Args:
        output: the file of released counts.
        record: the record of their release; all that it says is proved first.
        confidence: of the intervals.

    Raises:
        InputError: for a file that is unusable, or a confidence outside (0, 1).
        RefusedError: naming the first thing in the record that is false, or false of this output.
    """
    level = interval_confidence(confidence, "confidence")
    known, found = read_release(Path(output), Path(record))
    intervals = GroupIntervals(known, level)
    rows = zip(found.sizes, found.released, strict=True)
    names = found.names or tuple((str(number),) for number in range(1, len(found.released) + 1))
    columns = ("region", "group")[-max(1, len(known.group_columns)) :] + (("value",) if known.values else ())
    return GroupEstimates(columns, names, tuple((size, count, *intervals.of(size, count)) for size, count in rows))
