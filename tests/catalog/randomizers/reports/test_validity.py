"""Reports and states that cannot be: invalid just where the oracle refuses them, for every oracle."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from oracle_cases import CASES
from wording import refused

from mechdesign import InputError, NoAnswerError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.queries import Intervals
from mechdesign_catalog.randomizers.reports.ragged import Ragged
from mechdesign_catalog.randomizers.reports.reports import Reports
from mechdesign_catalog.randomizers.reports.validity import invalid_rows, without_invalid
from mechdesign_catalog.systems import State, make_oracle, parse_oracle
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES, parse_marginal_oracle

USERS = 120
BINARY = (2, 2, 2)


def tuples_for(name):
    binary = name.startswith(("inpht", "inpem", "marght")) and not name.startswith("inphtcms")
    return parse_marginal_oracle(name, BINARY if binary else (2, 3, 2), Privacy(epsilon=2))


ORACLES = {
    **{case.label: case.small for case in CASES},
    "dbitflip, d = 3": lambda: make_oracle("dbitflip", 11, Privacy(epsilon=1), d=3),
    "onebitmean": lambda: OneBitMean(5, Privacy(epsilon=1), 4),
    **{name: lambda name=name: tuples_for(name) for name in MARGINAL_ORACLES},
}


def honest(oracle):
    generator = np.random.default_rng(4)
    sizes = getattr(oracle, "domains", None)
    values = generator.integers(
        0, oracle.k if sizes is None else sizes, USERS if sizes is None else (USERS, len(sizes))
    )
    return oracle.privatize(values, seeded_words(9))


def spoiled(reports):
    """Change some rows of each column: numbers beside their range, random bytes, byte strings cut off or longer."""
    generator, columns = np.random.default_rng(7), {}
    for name, column in reports.columns.items():
        rows = generator.random(USERS) < 0.3
        if isinstance(column, Ragged):
            strings = [column[r : r + 1].data.tobytes() for r in range(USERS)]
            changed = [generator.choice([one[:-1], one + b"\0", generator.bytes(len(one))]) for one in strings]
            kept = [bytes(new) if row else old for old, new, row in zip(strings, changed, rows, strict=True)]
            ends = np.array([0, *itertools.accumulate(map(len, kept))])
            columns[name] = Ragged(ends, np.frombuffer(b"".join(kept), dtype=np.uint8))
        elif column.dtype == np.uint8 and column.ndim == 2:
            columns[name] = column.copy()
            columns[name][rows] = generator.integers(0, 256, (rows.sum(), column.shape[1]))
        else:
            columns[name] = column.astype(np.int64)
            top = int(column.max())
            columns[name][rows] = generator.integers(-2, top + 3, (rows.sum(), *column.shape[1:]))
    return Reports(reports.parameters, columns)


def is_refused(oracle, reports):
    try:
        oracle.aggregate(reports)
    except InputError:
        return True
    return False


@pytest.mark.parametrize("label", ORACLES)
def test_a_row_is_invalid_where_it_is_refused(label):
    oracle = ORACLES[label]()
    reports = spoiled(honest(oracle))
    wrong = invalid_rows(oracle.report_schema, reports, oracle.parameters)
    assert wrong.tolist() == [is_refused(oracle, reports[row : row + 1]) for row in range(USERS)]
    kept, dropped = without_invalid(oracle.report_schema, reports, oracle.parameters)
    assert (len(kept), dropped) == (USERS - wrong.sum(), wrong.sum())
    alone = [oracle.aggregate(reports[row : row + 1]) for row in np.flatnonzero(~wrong)]
    assert oracle.aggregate(kept).sums.tolist() == sum(state.sums for state in alone).tolist()


def test_what_is_no_matter_of_single_reports_is_refused():
    oracle = make_oracle("grr", 4, Privacy(epsilon=1))
    for columns in (
        {"bit": np.array([1])},
        {"item": np.array([1.5])},
        {"item": np.array([[1]])},
    ):
        with refused(InputError):
            invalid_rows(oracle.report_schema, Reports(oracle.parameters, columns), oracle.parameters)
    others = honest(make_oracle("grr", 5, Privacy(epsilon=1)))
    with refused(InputError):
        invalid_rows(oracle.report_schema, others, oracle.parameters)


SYSTEMS = ["hh:b=2", "hh:b=3:in=grr", "hh:b=2:in=hrr:estimate=raw", "haar", "hh2:b=2:sides=2x4", "haar2:sides=4x2"]


def state_of(text: str, users: int = 400) -> State:
    oracle = parse_oracle(text, 8, Privacy(epsilon=1))
    return oracle.aggregate(oracle.privatize(np.arange(users, dtype=np.int64) % 8, seeded_words(7)))


@pytest.mark.parametrize("text", SYSTEMS)
def test_states_of_systems_that_no_reports_add_up_to_are_refused(text: str) -> None:
    """Counts of users below 0, or that are not all users; too few or too many sums; sums above the level's users."""
    state, oracle = state_of(text), parse_oracle(text, 8, Privacy(epsilon=1))
    levels = len(oracle.users_of(state))

    def changed(place: int, by: int) -> State:
        sums = state.sums.copy()
        sums[place] += by
        return replace(state, sums=sums)

    moved = changed(0, 500)
    moved.sums[1] -= 500
    wrong = [
        changed(0, 1),
        replace(state, users=399),
        moved,
        replace(state, sums=state.sums[:-1]),
        replace(state, sums=np.append(state.sums, 0)),
        changed(levels, 401),
        changed(-1, -801),
        replace(state, users=0),
    ]
    for broken in wrong:
        with refused(InputError):
            oracle.estimate(broken)


@pytest.mark.parametrize("text", SYSTEMS)
def test_a_level_without_a_report_has_no_answer(text: str) -> None:
    """One user is in one level."""
    oracle = parse_oracle(text, 8, Privacy(epsilon=1))
    state = oracle.aggregate(oracle.privatize(np.array([3]), seeded_words(7)))
    queries = Intervals(8, np.array([0]), np.array([3]))
    for ask in (oracle.users_of, oracle.estimate, lambda state: oracle.answers(state, queries)):
        with refused(NoAnswerError):
            ask(state)
