"""Take the real counts of a data set as a table to be released."""

from dataclasses import dataclass
from pathlib import Path

from mechdesign.counts.release import ReleaseColumns
from mechdesign.errors import InputError
from mechdesign.releases.publishing import TrueCounts
from mechdesign_catalog.datasets.counts import CountHistogram, Synthetic
from mechdesign_cli.parsing.data_options import DataRequest, group_in_public_order, say_what_was_dropped


@dataclass(frozen=True)
class ReleasedData:
    """The options that name a data set, and the group size where no mechanism has it."""

    name: str | None
    target: str | None
    folder: Path | None
    n: int | None

    def table(self, size: int | None, unit: str, keep_true: bool, seed: int | None) -> TrueCounts:
        """Return the counts; `size` is that of a mechanism which is there already.

        Made-up ones are refused: nobody's privacy is kept, so no statement is true.
        """
        data = DataRequest(self.name, self.target, data_dir=self.folder).read(seed)
        n = self._size(size, data.own_n, data.name)
        if isinstance(data, Synthetic):
            raise InputError(
                f"data must be real counts to be released, got {data.name}, which is made up; to try it all the same: "
                f"mechdesign data {data.name} --n {n} --output counts.csv, and --input counts.csv"
            )
        if data.own_n not in (None, n):
            raise InputError(
                f"mechanism must have n = {data.own_n} for {data.name}, got n = {n}; "
                f"make one with mechdesign solve --n {data.own_n}"
            )
        grouped = group_in_public_order(data, n, seed)
        say_what_was_dropped(grouped)
        counted = data.counted if isinstance(data, CountHistogram) else "count"
        rows = [[str(count)] for count in grouped.counts.tolist()]
        columns = ReleaseColumns([counted], 0, None, keep_true)
        return TrueCounts(columns, rows, grouped.source, counted, unit=unit, size=n)

    def _size(self, size: int | None, own: int | None, name: str) -> int:
        if size is not None and self.n not in (None, size):
            raise InputError(f"n must be that of the mechanism, {size}, got n={self.n}")
        n = size or self.n or own
        if n is None:
            raise InputError(f"n must be given for the people of {name}, got none; add --n 8, or --mechanism")
        return n
