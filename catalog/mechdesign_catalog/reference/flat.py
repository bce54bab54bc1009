"""Find the reference client of an oracle whose users have one item each, and all report about all of them."""

from typing import Any

from mechdesign.errors import InputError
from mechdesign_catalog.oracles.kinds.dbitflip import DBitFlip
from mechdesign_catalog.oracles.kinds.designed import Designed
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.hadamard import Hrr
from mechdesign_catalog.oracles.kinds.local_hashing import Blh, Olh
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.kinds.sketch import Hcms
from mechdesign_catalog.oracles.kinds.subset import SubsetSelection
from mechdesign_catalog.oracles.kinds.unary import Oue, Rappor, Sue
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle
from mechdesign_catalog.oracles.oracle import LocalOracle
from mechdesign_catalog.reference.bits import report_dbitflip, report_subset, report_unary
from mechdesign_catalog.reference.byte_stream import Draws
from mechdesign_catalog.reference.direct import report_design, report_grr, report_workload_design
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
    DBitFlip: report_dbitflip,
    Designed: report_design,
    WorkloadOracle: report_workload_design,
    OneBitMean: report_mean,
}


def flat_row(oracle: LocalOracle, value: int, draws: Draws) -> Row:
    """Make one user's report in plain numbers and bytes; errors as `require_item`, or where the random bytes end."""
    oracle_of_items: Any = oracle
    require_item(value, oracle_of_items.k, "value")
    return FLAT_CLIENTS[type(oracle)](oracle, value, draws)


def require_item(value: object, k: int, name: str) -> None:
    """Refuse a value that is none of k items, without telling it.

    Raises:
        InputError: for any other value.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < k:
        raise InputError(f"{name} must be a whole number in 0..{k - 1}, got another")
