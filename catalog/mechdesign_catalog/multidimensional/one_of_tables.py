"""Report about one of several tables: client and server of systems in which each user has drawn a set of attributes."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, product

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource
from mechdesign_catalog.multidimensional.tables import Domains, Subset, cell_numbers
from mechdesign_catalog.oracles.kernels.draws import bits_for
from mechdesign_catalog.oracles.levels.level_oracle import NodeOracle
from mechdesign_catalog.oracles.oracle import Values, require_few
from mechdesign_catalog.oracles.ragged import Ragged
from mechdesign_catalog.oracles.reports import Column, ReportLaw
from mechdesign_catalog.oracles.wire import ByteStrings, Numbers, Wire


@dataclass(frozen=True)
class OneOfTables:
    """Hold sets of attributes, of which each user draws one as likely as any other, and the oracle of each's table.

    A report is the number of the set, from 0, and the message of its oracle's report on the user's cell. Sums are those
    of the oracles, set after set.
    """

    domains: Domains
    sets: tuple[Subset, ...]
    oracles: tuple[NodeOracle, ...]

    def wire(self, name: str) -> Wire:
        """Return the columns of its reports: the number of the set, under this name, and the oracle's message."""
        wires = tuple(oracle.wire for oracle in self.oracles)
        return Wire((Numbers(name, len(self.sets)), ByteStrings("report", name, wires)))

    @cached_property
    def starts(self) -> list[int]:
        """Where the sums of each set begin, one for each cell, and where the last ones end."""
        return list(accumulate((oracle.k for oracle in self.oracles), initial=0))

    @property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used: the smallest of the tables', as the set is no secret."""
        return min(oracle.alpha for oracle in set(self.oracles))

    @property
    def bits(self) -> float:
        """Bits that one report costs to send at most: the number of the set, and the report on the largest table."""
        return bits_for(len(self.sets)) + max(oracle.bits for oracle in self.oracles)

    @property
    def mean_bits(self) -> float:
        """Bits that one report costs to send, on average over the sets."""
        return bits_for(len(self.sets)) + sum(oracle.bits for oracle in self.oracles) / len(self.sets)

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read, on average over the sets, rounded up."""
        costs = sum(oracle.row_bytes + 3 * oracle.wire.width for oracle in self.oracles)
        return 8 * len(self.domains) + 48 + math.ceil(costs / len(self.sets))

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return sum(oracle.server_bytes for oracle in self.oracles) + 32 * self.starts[-1]

    def privatize(self, values: Values, drawn: Values, source: WordSource) -> Ragged:
        """Make the bytes of one report for each row of `values`, shape (users, d), about the set that was drawn."""
        own, sizes = self._own_cells(values, drawn), np.array([oracle.k for oracle in self.oracles])[drawn]
        rows, packed = [], []
        for oracle in dict.fromkeys(self.oracles):
            rows.append(np.flatnonzero(sizes == oracle.k))
            packed.append(oracle.wire.pack(oracle.privatize(own[rows[-1]], source)))
        return Ragged.gathered(len(values), rows, packed)

    def _own_cells(self, values: Values, drawn: Values) -> Values:
        """Return each user's cell in the table of the drawn set."""
        found = np.empty(len(values), dtype=np.int64)
        for subset, rows in zip(self.sets, self._rows(drawn), strict=True):
            if len(rows):
                found[rows] = cell_numbers(self.domains, subset, values[rows])
        return found

    def aggregate(self, drawn: Column, packed: Ragged, name: Callable[[int], str]) -> Values:
        """Add up reports, set by set; `name` is what a message calls a set.

        Raises:
            InputError: for reports that the oracle of their set does not make.
        """
        sums = []
        for number, rows in enumerate(self._rows(drawn)):
            oracle = self.oracles[number]
            if not len(rows):
                sums.append(np.zeros(self.starts[number + 1] - self.starts[number], dtype=np.int64))
                continue
            try:
                own = oracle.wire.unpack(packed.rows(rows, oracle.wire.width), oracle.parameters)
                sums.append(oracle.aggregate(own).sums)
            except InputError as error:
                raise InputError(f"{error} among those of {name(number)}") from None
        return np.concatenate(sums)

    def draw_sums(self, values: Values, drawn: Values, generator: np.random.Generator) -> Values:
        """Draw the sums of all sets for these users, each set's at once; for simulation only."""
        sums = []
        for subset, oracle, rows in zip(self.sets, self.oracles, self._rows(drawn), strict=True):
            counts = np.bincount(cell_numbers(self.domains, subset, values[rows]), minlength=oracle.k)
            sums.append(oracle.draw_state(counts.astype(np.int64), generator).sums)
        return np.concatenate(sums)

    def report_law(self, name: str) -> ReportLaw:
        """List every report's exact probability for every tuple, the last attribute changing fastest.

        Raises:
            InputError: where there are more than 2^16 reports.
        """
        tuples = np.array(list(product(*map(range, self.domains))), dtype=np.int64)
        law: ReportLaw = {}
        for number, oracle in enumerate(self.oracles):
            cells = cell_numbers(self.domains, self.sets[number], tuples).tolist()
            for report, row in oracle.report_law().items():
                law[(number, *oracle.wire.key(report))] = tuple(row[cell] / len(self.sets) for cell in cells)
            require_few(len(law), name)
        return law

    def _rows(self, drawn: Column) -> list[Values]:
        """Return the rows of the users of each set."""
        ends = np.cumsum(np.bincount(drawn, minlength=len(self.sets)))
        return np.split(np.argsort(drawn, kind="stable"), ends[:-1])
