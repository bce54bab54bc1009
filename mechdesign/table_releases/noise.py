"""The noise of a cell: a keyed hash of its name, looked up in a row of the noise table.

The cell's name is in the hash. With keys that come from people alone, two cells of the same people would have the same
result, which tells that nobody lies between them: delta would be the chance that two results differ, at every epsilon.
"""

import hashlib
import hmac
import json
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from mechdesign.noise_tables.table import NoiseTable
from mechdesign.table_releases.cells import Cell

TAG = "mechdesign-table-release/1"
HASH_BITS = 256


def table_digest(table: NoiseTable) -> str:
    """Return the SHA-256 of a table's rows and denominator, as JSON without blanks, in hexadecimal digits."""
    rows = [[[noise, str(weight)] for noise, weight in row if weight] for row in table.rows]
    text = json.dumps([rows, str(table.denominator)], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class CellNoise:
    """The noise of every cell of a release.

    Attributes:
        table: the noise table.
        key: 32 secret bytes.
        name: of the release.
        input_digest: of what was counted, under another key.
    """

    table: NoiseTable
    key: bytes
    name: str
    input_digest: str

    @cached_property
    def _start(self) -> list[str]:
        return [TAG, table_digest(self.table), self.name, self.input_digest]

    @cached_property
    def _thresholds(self) -> list[tuple[list[int], list[int]]]:
        """For each row the noises, and the sums of their weights in units of 2^-256 of the denominator."""
        rows = [[pair for pair in row if pair[1]] for row in self.table.rows]
        return [
            ([noise for noise, _ in row], [total << HASH_BITS for total in accumulate(w for _, w in row)])
            for row in rows
        ]

    def of(self, cell: Cell, count: int) -> int:
        """Return the noise of a cell with a count.

        With u the hash as an integer below 2^256, N the denominator and C_v the sum of the weights of noises up to v,
        it is the least v with `u N < 2^256 C_v`. Its chance is that of the table, to 2^-256.
        """
        noises, thresholds = self._thresholds[min(count, self.table.last)]
        return noises[bisect_right(thresholds, self._hash(cell) * self.table.denominator)]

    def _hash(self, cell: Cell) -> int:
        text = json.dumps([*self._start, [list(pair) for pair in cell]], separators=(",", ":"))
        return int.from_bytes(hmac.new(self.key, text.encode(), hashlib.sha256).digest(), "big")
