"""Define what oracles share whose report is a row of bits, one for each item."""

from functools import cached_property
from typing import ClassVar

from mechdesign_catalog.oracles.contributions import BitVector, Contribution
from mechdesign_catalog.oracles.exchangeable import PureOracle
from mechdesign_catalog.oracles.kernels.bits import row_width
from mechdesign_catalog.oracles.wire import PackedBits, Wire


class BitOracle(PureOracle):
    """A pure oracle whose report is a row of bits: the items that it supports."""

    time_class: ClassVar[str] = "N k"

    @cached_property
    def wire(self) -> Wire:
        """The columns of its reports: a bit for each item."""
        return Wire((PackedBits("bits", self.k),))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a 1 at each supported item."""
        return BitVector(self.k)

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""
        return row_width(self.k) + 40

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return 8 * self.k
