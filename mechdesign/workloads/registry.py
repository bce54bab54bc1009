"""Parse the names of workloads."""

from collections.abc import Callable

from mechdesign.errors import InputError, shorten
from mechdesign.names import require_known
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.workload import Workload

WORKLOADS: dict[str, Callable[[int], Workload]] = {"histogram": Histogram, "prefixes": Prefixes, "ranges": Ranges}
"""Workloads without a parameter."""


def parse_named_workload(text: str, k: int) -> Workload:
    """Parse the name of a workload on k items: `histogram`, `prefixes` or `ranges`.

    Raises:
        InputError: for another name, or one that does not fit k items.
    """
    word, colon, _ = text.strip().partition(":")
    name = require_known(word, WORKLOADS, "workload")
    if colon:
        raise InputError(f"workload {name} must stand alone, got workload={shorten(text)}")
    return WORKLOADS[name](k)
