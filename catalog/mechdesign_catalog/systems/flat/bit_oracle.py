"""Bit oracles: reports that are a row of bits, one for each item."""

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from mechdesign_catalog.randomizers.exchangeable import PureOracle
from mechdesign_catalog.randomizers.kernels.bits import column_sums, row_width
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.report_schema import PackedBits, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import Column


class BitOracle(PureOracle):
    """A pure oracle whose report is a row of bits: the items that it supports."""

    time_class: ClassVar[str] = "N k"

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: a bit for each item."""
        return ReportSchema((PackedBits("bits", self.k),))

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Count the reports with each bit."""
        return column_sums(columns[0], self.k)

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""
        return row_width(self.k) + 40
