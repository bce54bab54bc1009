"""A report is called invalid just where its oracle refuses it, for every oracle."""

import itertools

import numpy as np
import pytest
from oracle_cases import CASES

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.marginals.registry import MARGINAL_ORACLES, parse_marginal_oracle
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.ragged import Ragged
from mechdesign_catalog.oracles.reports import Reports
from mechdesign_catalog.oracles.validity import invalid_rows, without_invalid

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
    wrong = invalid_rows(oracle.wire, reports, oracle.parameters)
    assert wrong.tolist() == [is_refused(oracle, reports[row : row + 1]) for row in range(USERS)]
    kept, dropped = without_invalid(oracle.wire, reports, oracle.parameters)
    assert (len(kept), dropped) == (USERS - wrong.sum(), wrong.sum())
    alone = [oracle.aggregate(reports[row : row + 1]) for row in np.flatnonzero(~wrong)]
    assert oracle.aggregate(kept).sums.tolist() == sum(state.sums for state in alone).tolist()


@pytest.mark.parametrize("label", ORACLES)
def test_an_honest_report_is_valid(label):
    oracle = ORACLES[label]()
    reports = honest(oracle)
    assert without_invalid(oracle.wire, reports, oracle.parameters) == (reports, 0)


def test_what_is_no_matter_of_single_reports_is_refused():
    oracle = make_oracle("grr", 4, Privacy(epsilon=1))
    for columns, message in (
        ({"bit": np.array([1])}, "reports of grr must have the columns item, got bit"),
        ({"item": np.array([1.5])}, "column item of whole numbers"),
        ({"item": np.array([[1]])}, "column item of whole numbers"),
    ):
        with pytest.raises(InputError, match=message):
            invalid_rows(oracle.wire, Reports(oracle.parameters, columns), oracle.parameters)
    others = honest(make_oracle("grr", 5, Privacy(epsilon=1)))
    with pytest.raises(InputError, match="same parameters"):
        invalid_rows(oracle.wire, others, oracle.parameters)
