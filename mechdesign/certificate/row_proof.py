"""Hold the proof of a lower bound of the variance of local mechanisms for a workload, as it travels with a design."""

from dataclasses import dataclass

from mechdesign.errors import InputError

KINDS = ("rows", "relaxation", "levels")

Matrix = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class RowProof:
    """Hold a proof that no alpha-LDP mechanism answers a workload with less variance: integers over one scale.

    On the K groups of items that the workload tells apart, with the prior p, `P = I - p 1'`, the centred Gram matrix
    `Gc = P'W'W P`, a symmetric B (`dual`) and y (`prices`): where `r'B Gc B r <= (p'r)(y'r)` for every row r of entries
    1 and 1/alpha,

        variance >= tr(B Gc)^2 / sum(y) + p'Gp - sum_u p_u G_uu.

    Attributes:
        kind: how the condition is shown. `rows`: for all 2^K rows, one by one. `relaxation`: by a semidefinite matrix,
            with `diagonal` (K+1 numbers of sum at least 0) and `cuts` (a multiplier and K+1 integers of odd sum each).
            `levels`: for workloads with so many symmetries that B is a number for each level, and y is constant.
        scale: what the integers of `dual`, `prices`, `diagonal`, the cuts' multipliers and `levels` are divided by.
        prior: integers for the groups; divided by their sum they are p.
        dual: the lower triangle of B, row by row.
        levels: the eigenvalue of B on each level, from level 1 on.
    """

    kind: str
    scale: int
    prior: tuple[int, ...]
    dual: Matrix = ()
    prices: tuple[int, ...] = ()
    diagonal: tuple[int, ...] = ()
    cuts: tuple[tuple[int, tuple[int, ...]], ...] = ()
    levels: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"kind of a proof must be one of {', '.join(KINDS)}, got {self.kind}")
