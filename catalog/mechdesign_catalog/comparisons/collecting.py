"""Collections of the reports of all users of one data set, piece by piece."""

from collections.abc import Callable

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource
from mechdesign_catalog.datasets.items import ItemCounts
from mechdesign_catalog.systems import FrequencyOracle, State
from mechdesign_catalog.systems.memory_needs import rows_at_once


def collect(
    oracle: FrequencyOracle,
    data: ItemCounts,
    words: WordSource | None = None,
    report: Callable[[int], None] = lambda reports: None,
) -> State:
    """Make every user's report and add all up, piece by piece."""
    step = rows_at_once(oracle)
    state: State | None = None
    for start in range(0, data.users, step):
        piece = data.values_between(start, min(start + step, data.users))
        part = oracle.aggregate(oracle.privatize(piece, words))
        state = part if state is None else state.merge(part)  # at once: a state can be as large as the domain
        report(len(piece))
    if state is None:
        raise InputError("data must have at least one user, got none")
    return state
