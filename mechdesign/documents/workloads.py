"""Parse workloads: their names, and files of weights."""

from mechdesign.workloads.registry import parse_named_workload
from mechdesign.workloads.workload import Workload


def parse_workload(text: str, k: int) -> Workload:
    """Parse a workload on k items, as `Workload.name` writes it.

    Raises:
        InputError: for another name, or one that does not fit k items.
    """
    return parse_named_workload(text, k)
