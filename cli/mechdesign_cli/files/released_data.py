"""Options of a release that say where its counts come from."""

from pathlib import Path

from mechdesign.counts.release import ReleaseColumns
from mechdesign.errors import InputError
from mechdesign.releases.publishing import TrueCounts
from mechdesign_catalog.datasets.counts import CountHistogram, Synthetic
from mechdesign_cli.parsing import data_options, options
from mechdesign_cli.parsing.data_options import DataSource, group_in_public_order, note_dropped
from mechdesign_cli.record import Group, option


class CountsToRelease(Group, title="Where the counts come from"):
    """Real counts by the name of a set (`data`), which are taken as a table, or a file (`input`)."""

    data: str | None = option("Real counts: adult, adult-test, saxony, weldon.")
    target: data_options.Target = None
    data_dir: data_options.DataFolder = None
    n: options.OptionalGroupSize = None
    input: Path | None = option("Your file: CSV with a header, or .parquet.")

    def table(self, size: int | None, unit: str, keep_true: bool, seed: int | None) -> TrueCounts:
        """Return the counts of the set; `size` is that of a mechanism which is there already.

        Made-up ones are refused: nobody's privacy is kept, so no statement is true.
        """
        data = DataSource(data=self.data, target=self.target, data_dir=self.data_dir).read(seed)
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
        note_dropped(grouped)
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
