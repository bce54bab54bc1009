"""Workloads whose names say no more than what they are; the sides of a table have them."""

from collections.abc import Callable

from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.workload import OrderedWorkload

KINDS: dict[str, Callable[[int], OrderedWorkload]] = {
    "histogram": Histogram,
    "prefixes": Prefixes,
    "ranges": Ranges,
    "circular": Arcs,
}
