"""Names of workloads, parsed."""

from mechdesign.errors import InputError, shorten
from mechdesign.names import require_known
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.grid import parse_grid_name
from mechdesign.workloads.marginals import FORM, parse_marginals
from mechdesign.workloads.sides import KINDS
from mechdesign.workloads.workload import Workload

FORMS = ("histogram", "prefixes", "ranges", "ranges:L", "circular", "grid:A,B", FORM)
WORDS = (*KINDS, "grid", "marginals")


def named_size(text: str) -> int | None:
    """Return the number of items that the name of a workload says, as `grid:A,B` does; None for other texts.

    Raises:
        InputError: for a grid without two sides.

    >>> named_size("grid:8,16"), named_size("ranges")
    (128, None)
    """
    word, _, parameter = text.strip().partition(":")
    if word.strip().lower() != "grid":
        return None
    return parse_grid_name(parameter, None).k


def parse_named_workload(text: str, k: int) -> Workload:
    """Parse the name of a workload on k items, one of `FORMS`; `marginals:K` is of attributes with two items each.

    Raises:
        InputError: for another name, or one that does not fit k items.
    """
    word, colon, parameter = text.strip().partition(":")
    if word.strip().lower() not in WORDS:
        require_known(text, FORMS, "workload", others=("a CSV file of weights",))
    name = word.strip().lower()
    if name == "grid":
        return parse_grid_name(parameter, k)
    if name == "marginals":
        return parse_marginals(parameter, k)
    if not colon:
        return KINDS[name](k)
    if name != "ranges":
        raise InputError(f"workload {name} must stand alone, got workload={shorten(text)}")
    length = parameter.strip()
    if not (length.isdecimal() and length.isascii() and len(length) <= 18):
        raise InputError(f"ranges:L must have a whole number L, got workload={shorten(text)}")
    return FixedRanges(k, int(length))
