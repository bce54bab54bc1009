"""Channels of quantitative information flow, made of a mechanism."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechdesign.arguments import checked
from mechdesign.designs import Design
from mechdesign.interop.inputs import stated
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.workload_designs import WorkloadDesign


@checked
def to_qif(design: Design | WorkloadDesign | Mechanism, *, exact: bool = False) -> NDArray[Any]:
    """Return the channel `C[x, y] = Pr[output y | input x]` of qif: the transpose of P, row-stochastic.

    Shape (n_inputs, n_outputs), in memory row by row as qif takes it. With `exact` its entries are rationals, qif's
    type `rat`, with which its measures are exact; else the floats nearest to them.

    >>> coin = Mechanism(((3, 1, 1), (1, 3, 3)), 4)
    >>> to_qif(coin).tolist()
    [[0.75, 0.25], [0.25, 0.75], [0.25, 0.75]]

    Source: qif 1.6 (`qif.channel`, `qif.measure`).
    """
    mechanism, _ = stated(design, None)
    if not exact:
        return np.ascontiguousarray(mechanism.matrix().T)
    rows = [[mechanism.fraction(y, x) for y in range(mechanism.n_outputs)] for x in range(mechanism.n_inputs)]
    return np.array(rows, dtype=object)
