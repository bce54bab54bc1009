"""Find the reference client of each oracle."""

from typing import Any

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.oracles.kinds.designed import Designed
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.hadamard import Hrr
from mechdesign_catalog.oracles.kinds.local_hashing import Blh, Olh
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.kinds.sketch import Hcms
from mechdesign_catalog.oracles.kinds.subset import SubsetSelection
from mechdesign_catalog.oracles.kinds.unary import Oue, Rappor, Sue
from mechdesign_catalog.oracles.oracle import LocalOracle
from mechdesign_catalog.oracles.reports import Column, Reports
from mechdesign_catalog.reference.bits import report_subset, report_unary
from mechdesign_catalog.reference.byte_stream import Draws
from mechdesign_catalog.reference.direct import report_design, report_grr
from mechdesign_catalog.reference.hashed import report_hashed, report_sketched
from mechdesign_catalog.reference.mean import report_mean
from mechdesign_catalog.reference.rows import Client, Row

FLAT_CLIENTS: dict[type, Client] = {
    Grr: report_grr,
    Sue: report_unary,
    Oue: report_unary,
    Rappor: report_unary,
    Blh: report_hashed,
    Olh: report_hashed,
    Hrr: report_hashed,
    Hcms: report_sketched,
    SubsetSelection: report_subset,
    Designed: report_design,
    OneBitMean: report_mean,
}
"""Those whose users have one item in 0..k-1 each, and all report about all of them."""


def reference_row(oracle: LocalOracle, value: int, draws: Draws) -> Row:
    """Make one user's report in plain numbers and bytes.

    Raises:
        InputError: for a value that the oracle does not take, or where the random bytes end.
    """
    oracle_of_items: Any = oracle
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < oracle_of_items.k:
        raise InputError(f"value must be a whole number in 0..{oracle_of_items.k - 1}, got another")
    return FLAT_CLIENTS[type(oracle)](oracle, value, draws)


def reference_report(oracle: LocalOracle, value: int, draws: Draws) -> Reports:
    """Make one user's report as a server reads it; errors as `reference_row`."""
    return report_of(oracle, reference_row(oracle, value, draws))


def report_of(oracle: LocalOracle, row: Row) -> Reports:
    """Return a report in plain numbers and bytes as a server reads it."""
    return Reports(oracle.parameters, {name: _column(cell) for name, cell in row.items()})


def _column(cell: Any) -> Column:
    if isinstance(cell, bytes):
        return np.frombuffer(cell, dtype=np.uint8)[None]
    return np.array([cell], dtype=np.uint8 if isinstance(cell, tuple) else np.int64)
