"""The same design questions, put to other people's programs as their users would put them.

Each function returns a float matrix `P[i, j] = Pr[output i | input j]`, shape (size, size), exactly as the peer gave
it: nothing is clipped, rounded or rescaled. A peer that has no answer raises `PeerFailedError`. Imports are made inside
the functions, so that a script that does not ask a peer does not need it.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from questions import Floats, Question


class PeerFailedError(RuntimeError):
    """The peer gave no matrix; the message is what it said."""


def cvxpy(question: Question, solver: str) -> Floats:
    """The LP as a careful cvxpy user writes it: one matrix variable, no loop over entries.

    For counts alpha-DP is two slices; for the local model, with its n(n-1) pairs of inputs, one constraint for each
    pair (j, l): `P[:, j] >= alpha P[:, l]`, the definition word for word. Solver settings are the defaults.
    """
    import cvxpy as cp

    size, alpha = question.size, question.ratio
    matrix = cp.Variable((size, size), nonneg=True)
    if question.model == "count":
        private = [matrix[:, 1:] >= alpha * matrix[:, :-1], matrix[:, :-1] >= alpha * matrix[:, 1:]]
    else:
        pairs = [(j, other) for j in range(size) for other in range(size) if j != other]
        private = [matrix[:, j] >= alpha * matrix[:, other] for j, other in pairs]
    rules = [cp.sum(matrix, axis=0) == 1, *private, *_properties(question.asked, matrix)]
    task = cp.Problem(cp.Minimize(cp.sum(cp.multiply(question.losses(), matrix)) / size), rules)
    try:
        task.solve(solver=solver)
    except cp.error.SolverError as error:
        raise PeerFailedError(str(error).splitlines()[0]) from error
    if matrix.value is None:
        raise PeerFailedError(f"status {task.status}")
    return np.asarray(matrix.value, dtype=np.float64)


def _properties(asked: frozenset[str], matrix: Any) -> list[Any]:
    """The asked properties, each one constraint on whole matrices."""
    import cvxpy as cp

    size = matrix.shape[0]
    ones = np.ones((1, size))
    diagonal = cp.diag(matrix)
    across = cp.reshape(diagonal, (size, 1), order="C") @ ones  # across[i, j] = P[i, i]
    away = np.where(np.arange(size)[:, None] <= np.arange(size - 1), 1.0, -1.0)  # +1 on and right of the diagonal
    rules = {
        "WH": lambda: diagonal >= 1 / size,
        "RH": lambda: across >= matrix,
        "CH": lambda: matrix <= across.T,
        "RM": lambda: cp.multiply(away, matrix[:, :-1] - matrix[:, 1:]) >= 0,
        "CM": lambda: cp.multiply(away.T, matrix[:-1, :] - matrix[1:, :]) >= 0,
        "F": lambda: diagonal[1:] == diagonal[0],
        "S": lambda: matrix == matrix[::-1, ::-1],
    }
    return [rules[name]() for name in sorted(asked)]


def libqif(question: Question, solver: str, method: str = "AUTO") -> Floats:
    """`qif.mechanism.d_privacy.min_loss_given_d`, with all probabilities as variables (`vars="all"`, its default).

    libqif works on row-stochastic channels `C[x, y] = Pr[y | x]` and bounds `C[x, y] <= exp(d(x, x')) C[x', y]`. For
    counts d is `epsilon |x - x'|`, and `d_priv_ch` tells libqif that pairs further apart than 1 follow from their
    neighbours: without that hint it writes (n+1)^3 rows. For the local model d is epsilon for any pair, or for any pair
    within the radius and infinite beyond. It knows none of the seven properties.
    """
    import qif

    if question.asked:
        raise PeerFailedError("libqif has no such properties")
    epsilon = -math.log(question.ratio)
    losses = question.losses().tolist()
    near = question.radius or question.size
    distance = {
        "count": lambda x, other: epsilon * abs(x - other),
        "ldp": lambda x, other: epsilon * (x != other),
        "lldp": lambda x, other: epsilon * (x != other) if abs(x - other) <= near else math.inf,
    }[question.model]
    qif.lp.defaults.solver, qif.lp.defaults.method = solver, method
    channel = qif.mechanism.d_privacy.min_loss_given_d(
        pi=qif.probab.uniform(question.size),
        n_cols=question.size,
        d_priv=distance,
        loss=lambda x, y: losses[y][x],
        d_priv_ch=lambda x, other: question.model == "count" and abs(x - other) != 1,
    )
    if not channel.size:
        raise PeerFailedError("no answer (an empty channel)")
    return np.asarray(channel, dtype=np.float64).T


PEERS: dict[str, Callable[[Question], Floats]] = {
    "libqif CLP": partial(libqif, solver="CLP"),
    "libqif GLOP": partial(libqif, solver="GLOP"),
    "libqif CLP interior": partial(libqif, solver="CLP", method="INTERIOR"),
    "cvxpy HiGHS": partial(cvxpy, solver="HIGHS"),
    "cvxpy Clarabel": partial(cvxpy, solver="CLARABEL"),
}
"""libqif leaves the choice of solver to its user; where it is left to libqif, it takes CLP's dual simplex."""
