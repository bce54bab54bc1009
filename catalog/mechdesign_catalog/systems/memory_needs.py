"""Memory needs of an oracle's reports and sums, and the reports handled at once."""

from mechdesign.errors import InputError
from mechdesign.machine import memory_limit, readable_bytes
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, LocalOracle
from mechdesign_catalog.systems.installed import installed_names
from mechdesign_catalog.systems.registry import FLAT_ORACLES, make_oracle

PIECE_BYTES = 64 << 20
MOST_ROWS = 1 << 20
ESTIMATE_BYTES = 160
"""What an item takes where it is estimated, with its standard error and intervals; measured at k = 2^22."""

CELL_BYTES = 900
"""What an item takes where a table of all items is written; measured at k = 2^22."""


def rows_at_once(oracle: LocalOracle) -> int:
    """Return how many reports together stay within `PIECE_BYTES`; at least one."""
    return max(1, min(MOST_ROWS, PIECE_BYTES // oracle.row_bytes))


def memory_needed(oracle: LocalOracle) -> int:
    """Estimate the bytes for a piece of reports and for the sums and estimates of the server."""
    return oracle.row_bytes * rows_at_once(oracle) + oracle.server_bytes


def fits(oracle: LocalOracle) -> bool:
    """Return whether client and server fit the memory."""
    return memory_needed(oracle) <= memory_limit()


def require_fit(oracle: FrequencyOracle) -> None:
    """Refuse, before any work, a domain that is too large for the oracle here.

    Raises:
        InputError: with what it would take, and the oracles that would fit.
    """
    if fits(oracle):
        return
    others = [other.name for other in usual_oracles(oracle.k, oracle.privacy) if fits(other)]
    way_out = f"{', '.join(others)} would fit" if others else "no oracle would fit; choose a smaller domain"
    raise InputError(
        f"the domain must fit the memory ({readable_bytes(memory_limit())} of it may be used), got k={oracle.k} for "
        f"{oracle.title}, about {readable_bytes(memory_needed(oracle))}; {way_out}"
    )


def require_items_fit(k: int, bytes_each: int, what: str) -> None:
    """Refuse to hold so many bytes for each of k items.

    Raises:
        InputError: with what it would take.
    """
    limit, needed = memory_limit(), k * bytes_each
    if needed > limit:
        raise InputError(
            f"{what} of all items must fit the memory ({readable_bytes(limit)} of it may be used), got k={k}, "
            f"about {readable_bytes(needed)}"
        )


def usual_oracles(k: int, privacy: Privacy, installed: bool = False) -> list[FrequencyOracle]:
    """Make every oracle on all items with its usual options, where it can be made for k and this privacy.

    With `installed` those that other packages offer too.
    """
    found = []
    for name in (*FLAT_ORACLES, *(installed_names() if installed else ())):
        try:
            found.append(make_oracle(name, k, privacy))
        except InputError:
            continue
    return found
