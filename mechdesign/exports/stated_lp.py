"""The linear program of a problem in full, in rationals: every row of its definition.

    minimise    f sum_ij cost[i,j] P[i,j]          or t, for the worst case
    subject to  P[i,j] >= 0                        bounds, in the order of the entries
                sum_i P[i,j] = 1                   sum_j          every input j
                P[i,j] >= alpha^d P[i,l]           DP_i_j_i_l     every output i, neighbours j, l of length d
                P[i,j] >= ratio P[k,h]             KIND_i_j_k_h   pairs of the asked properties
                P[i,i] >= floor                    WH_i           the floor that is asked
                P[i,j] = P[k,h]                    KIND_i_j_k_h   equalities of the asked properties: F, FE, S
                t >= f sum_i loss[i,j] P[i,j]      loss_j         every input j, for the worst case

`f` is the factor from loss to score, so that the optimum is the score of the best mechanism; `t` may have either sign.
Where `alpha^unit` of a metric is only enclosed by rationals, the program is stated at the lower one, where the bound is
proved: every mechanism that is private as asked satisfies it.
The program that is solved (`mechdesign.program.linear_program`) merges entries, leaves out what is implied and adds
variables; here nothing is merged, scaled or left out, so that the program can be compared with the problem by eye.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np

from mechdesign.exports.limits import require_short
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.privacy_rows import Indices, PairRows, edge_pairs

GREATER, EQUAL = "G", "E"


@dataclass(frozen=True)
class Terms:
    """`sum_k coefficients[k] x[variables[k]]`."""

    variables: tuple[int, ...]
    coefficients: tuple[Fraction, ...]


@dataclass(frozen=True)
class WideRow:
    """A row of any number of terms, `terms >= rhs` (sense G) or `terms = rhs` (sense E)."""

    name: str
    sense: str
    rhs: Fraction
    terms: Terms


@dataclass(frozen=True)
class WideRows:
    """Rows of one kind, one for each input or output."""

    kind: str
    rows: tuple[WideRow, ...]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class TwoTermRows:
    """Rows `P[upper] - ratio P[lower] >= 0` (or `= 0`) of one kind; entries are numbered `i * size + j`."""

    kind: str
    sense: str
    ratio: Fraction
    upper: Indices
    lower: Indices

    def __len__(self) -> int:
        return len(self.upper)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the two entries of each row."""
        return zip(self.upper.tolist(), self.lower.tolist(), strict=True)


Block = WideRows | TwoTermRows


@dataclass(frozen=True)
class StatedLP:
    """The program of a problem: variables are the entries row by row, then t in the worst case.

    Rows are numbered through the bounds first, then block by block.
    """

    problem: DesignProblem
    objective: Terms
    blocks: tuple[Block, ...]

    @property
    def n_entries(self) -> int:
        """Number of entries of the matrix, and of bounds."""
        return self.problem.size**2

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return self.n_entries + self.problem.is_worst_case

    @property
    def n_rows(self) -> int:
        """Number of rows, the bounds not among them."""
        return sum(map(len, self.blocks))

    @cached_property
    def places(self) -> list[str]:
        """Write the indices `i_j` of each entry, for names."""
        size = self.problem.size
        return [f"{i}_{j}" for i in range(size) for j in range(size)]

    @cached_property
    def variable_names(self) -> list[str]:
        """Name the variables: `P_i_j`, and `t`."""
        return [f"P_{place}" for place in self.places] + ["t"] * self.problem.is_worst_case

    @cached_property
    def starts(self) -> list[int]:
        """Number of the first row of each block."""
        return list(accumulate(map(len, self.blocks), initial=self.n_entries))[:-1]

    def row_names(self, block: Block) -> Iterator[str]:
        """Yield the names of a block's rows."""
        if isinstance(block, WideRows):
            return (row.name for row in block.rows)
        places, kind = self.places, block.kind
        return (f"{kind}_{places[upper]}_{places[lower]}" for upper, lower in block.pairs())

    def start_of(self, kind: str) -> int:
        """Return the number of the first row of the only block of a kind."""
        return next(start for start, block in zip(self.starts, self.blocks, strict=True) if block.kind == kind)

    def find_pair(self, kind: str, upper: int, lower: int) -> tuple[int, Fraction] | None:
        """Find the row `P[upper] - ratio P[lower]` of a kind: its number and its ratio, None where there is none."""
        if kind not in self._pair_keys:
            return None
        keys, numbers = self._pair_keys[kind]
        key = upper * self.n_entries + lower
        place = int(np.searchsorted(keys, key))
        if place == len(keys) or keys[place] != key:
            return None
        number = int(numbers[place])
        block = self.blocks[bisect_right(self.starts, number) - 1]
        assert isinstance(block, TwoTermRows)
        return number, block.ratio

    @cached_property
    def _pair_keys(self) -> dict[str, tuple[Indices, Indices]]:
        """For each kind the pairs of entries, as one sorted number each, and the numbers of their rows."""
        found: dict[str, list[tuple[Indices, Indices]]] = {}
        for start, block in zip(self.starts, self.blocks, strict=True):
            if isinstance(block, TwoTermRows):
                keys = block.upper * self.n_entries + block.lower
                found.setdefault(block.kind, []).append((keys, start + np.arange(len(block), dtype=np.int64)))
        tables = {}
        for kind, parts in found.items():
            keys, numbers = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
            order = np.argsort(keys)
            tables[kind] = keys[order], numbers[order]
        return tables


def state_lp(problem: DesignProblem) -> StatedLP:
    """State the program of a problem; of one that was asked by epsilon the program at the alpha of its designs.

    Raises:
        InputError: if it has more than `MOST_ROWS` rows.
    """
    problem = problem.at_alpha
    require_short(problem, "the linear program")
    size = problem.size
    blocks: list[Block] = [WideRows("sum", tuple(_column_sum(j, size) for j in range(size)))]
    privacy = edge_pairs(problem.graph, problem.step_alpha_below, range(size))
    blocks += [_rows_of(pairs, GREATER) for pairs in privacy]
    for prop in problem.required:
        if prop.pairs is not None:
            blocks.append(TwoTermRows(prop.kind, GREATER, prop.ratio, *prop.pairs(size)))
        if prop.floor:
            blocks.append(WideRows(prop.kind, tuple(_floor(prop.kind, i, size, prop.floor) for i in range(size))))
        if prop.equal is not None:
            blocks.append(TwoTermRows(prop.kind, EQUAL, Fraction(1), *prop.equal(size)))
    if problem.is_worst_case:
        blocks.append(WideRows("loss", tuple(_loss_row(problem, j) for j in range(size))))
    return StatedLP(problem, _objective(problem), tuple(blocks))


def _rows_of(pairs: PairRows, sense: str) -> TwoTermRows:
    return TwoTermRows(pairs.kind, sense, pairs.ratio, pairs.upper, pairs.lower)


def _column_sum(j: int, size: int) -> WideRow:
    terms = Terms(tuple(range(j, size * size, size)), (Fraction(1),) * size)
    return WideRow(f"sum_{j}", EQUAL, Fraction(1), terms)


def _floor(kind: str, i: int, size: int, floor: Fraction) -> WideRow:
    return WideRow(f"{kind}_{i}", GREATER, floor / size, Terms((i * (size + 1),), (Fraction(1),)))


def _loss_row(problem: DesignProblem, j: int) -> WideRow:
    size, factor = problem.size, problem.rescaling
    charges = {i * size + j: row[j] for i, row in enumerate(problem.loss.matrix(size)) if row[j]}
    terms = Terms((size * size, *charges), (Fraction(1), *(-factor * charge for charge in charges.values())))
    return WideRow(f"loss_{j}", GREATER, Fraction(0), terms)


def _objective(problem: DesignProblem) -> Terms:
    if problem.is_worst_case:
        return Terms((problem.size**2,), (Fraction(1),))
    costs = [problem.rescaling * value for row in problem.cost for value in row]
    paid = {entry: cost for entry, cost in enumerate(costs) if cost}
    return Terms(tuple(paid), tuple(paid.values()))
