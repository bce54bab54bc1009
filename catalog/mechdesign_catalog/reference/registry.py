"""Find the reference client of each oracle."""

from typing import Any

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.marginals.fourier.inpes import Inpes
from mechdesign_catalog.marginals.fourier.inpht import Inpht
from mechdesign_catalog.marginals.inputs.inpem import InpEm
from mechdesign_catalog.marginals.inputs.input_sketch import InpHtCms
from mechdesign_catalog.marginals.inputs.joint_kinds import InpOlh, InpPs, InpRrOue, InpRrSue
from mechdesign_catalog.marginals.sampling.all_tables import Margps, Margrr, MargrrSue
from mechdesign_catalog.marginals.sampling.calm import Calm
from mechdesign_catalog.marginals.sampling.marght import Marght
from mechdesign_catalog.multidimensional.rsfd import RsFd
from mechdesign_catalog.multidimensional.smp import Smp
from mechdesign_catalog.multidimensional.spl import Spl
from mechdesign_catalog.oracles.levels.haar import Haar
from mechdesign_catalog.oracles.levels.hierarchical import HierarchicalHistograms
from mechdesign_catalog.oracles.levels.plane.haar2 import Haar2
from mechdesign_catalog.oracles.levels.plane.hh2 import HierarchicalHistograms2
from mechdesign_catalog.oracles.oracle import LocalOracle
from mechdesign_catalog.oracles.ragged import Ragged
from mechdesign_catalog.oracles.reports import AnyColumn, Reports
from mechdesign_catalog.reference.attributes import (
    report_joint,
    report_rsfd,
    report_sampled,
    report_smp,
    report_spl,
)
from mechdesign_catalog.reference.byte_stream import Draws
from mechdesign_catalog.reference.coefficients import report_sign, report_table_sign, report_turned
from mechdesign_catalog.reference.flat import FLAT_CLIENTS, require_item
from mechdesign_catalog.reference.levels import report_haar, report_haar2, report_hh, report_hh2
from mechdesign_catalog.reference.rows import Client, Row

LEVEL_CLIENTS: dict[type, Client] = {
    HierarchicalHistograms: report_hh,
    Haar: report_haar,
    HierarchicalHistograms2: report_hh2,
    Haar2: report_haar2,
}
"""Those whose users have one item in 0..k-1 each, and report about one level."""

ATTRIBUTE_CLIENTS: dict[type, Client] = {
    Spl: report_spl,
    Smp: report_smp,
    RsFd: report_rsfd,
    InpRrSue: report_joint,
    InpRrOue: report_joint,
    InpPs: report_joint,
    InpOlh: report_joint,
    InpHtCms: report_joint,
    InpEm: report_turned,
    MargrrSue: report_sampled,
    Margrr: report_sampled,
    Margps: report_sampled,
    Calm: report_sampled,
    Marght: report_table_sign,
    Inpht: report_sign,
    Inpes: report_sign,
}
"""Those whose users have an item of each of several attributes."""


def reference_row(oracle: LocalOracle, value: int | tuple[int, ...], draws: Draws) -> Row:
    """Make one user's report in plain numbers and bytes.

    Args:
        oracle: any oracle.
        value: the user's item; or, for an oracle of several attributes, the items of all.
        draws: what to draw from.

    Raises:
        InputError: for a value that the oracle does not take, or where the random bytes end.
    """
    known: Any = oracle
    client = ATTRIBUTE_CLIENTS.get(type(oracle))
    if client is None:
        require_item(value, known.k, "value")
        return {**FLAT_CLIENTS, **LEVEL_CLIENTS}[type(oracle)](oracle, value, draws)
    if not isinstance(value, tuple) or len(value) != len(known.domains):
        raise InputError(f"value must be {len(known.domains)} whole numbers, got another")
    for number, (item, k) in enumerate(zip(value, known.domains, strict=True), start=1):
        require_item(item, k, f"value of attribute {number}")
    return client(oracle, value, draws)


def reference_report(oracle: LocalOracle, value: int | tuple[int, ...], draws: Draws) -> Reports:
    """Make one user's report as a server reads it; errors as `reference_row`."""
    return report_of(oracle, reference_row(oracle, value, draws))


def report_of(oracle: LocalOracle, row: Row) -> Reports:
    """Return a report in plain numbers and bytes as a server reads it."""
    return oracle.wire.typed(Reports(oracle.parameters, {name: _column(name, cell) for name, cell in row.items()}))


def _column(name: str, cell: Any) -> AnyColumn:
    if not isinstance(cell, bytes):
        return np.array([cell], dtype=np.int64)
    data = np.frombuffer(cell, dtype=np.uint8)
    return Ragged(np.array([0, len(data)]), data) if name == "report" else data[None]
