"""The LP of a design problem, as named blocks; no solver is known here.

    minimise    sum_ij cost[i,j] P[i,j]
    subject to  sum_i P[i,j] = 1                      every input j
                P[i,j] >= alpha P[i,l]                every output i, neighbours j, l   (block DP)
                P[a] >= P[b]                          for the properties RH, RM, CH, CM
                P[i,i] >= 1/(n+1)                     WH
                P >= 0

(Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing privacy mechanisms", STOC 2009, for the frame;
Cormode et al. 2018 for the properties.) Properties that state equalities (F, S) merge entries into one variable, so
every row left, apart from the column sums, has at most two variables: `x_u >= ratio x_v`.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.problem import DesignProblem
from mechdesign.properties import PROPERTIES, Entries, ordered, rotation, without_implied
from mechdesign.rational import total

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class PairRows:
    """Rows `P[upper] >= ratio P[lower]` of one kind; `upper` and `lower` are entry numbers `i * size + j`."""

    kind: str
    ratio: Fraction
    upper: Entries
    lower: Entries


@dataclass(frozen=True)
class ColumnSum:
    """`sum_k multiplicity[k] x[variable[k]] = 1` for the input `column`."""

    column: int
    variables: Indices
    multiplicity: Indices


@dataclass(frozen=True)
class LinearProgram:
    """The LP over merged variables.

    `variable_of[e]` is the variable of entry e (numbered `i * size + j`). Rows are `x[upper] >= ratio x[lower]`
    with `ratio = ratios[ratio_of]`; `row_kind` and `row_entries` name, for each, one row of the full LP that it
    stands for. `symmetric` says that entries were merged with their rotation, and their rows likewise.
    """

    problem: DesignProblem
    symmetric: bool
    variable_of: Indices
    distance: Indices
    cost: tuple[Fraction, ...]
    floor: tuple[Fraction, ...]
    ratios: tuple[Fraction, ...]
    ratio_of: Indices
    upper: Indices
    lower: Indices
    row_kind: tuple[str, ...]
    row_entries: tuple[Indices, Indices]
    sums: tuple[ColumnSum, ...]

    @property
    def n_variables(self) -> int:
        return len(self.cost)

    @property
    def n_rows(self) -> int:
        """Two-variable rows; the column sums come on top."""
        return len(self.upper)


def privacy_rows(problem: DesignProblem) -> PairRows:
    """Block DP: both directions of every edge, in every output row."""
    edges = np.array(problem.graph.edges, dtype=np.int64).reshape(-1, 2)
    both = np.concatenate([edges, edges[:, ::-1]])
    base = (np.arange(problem.size, dtype=np.int64) * problem.size)[:, None]
    return PairRows("DP", problem.alpha, (base + both[:, 0]).ravel(), (base + both[:, 1]).ravel())


def property_rows(problem: DesignProblem) -> list[PairRows]:
    """Blocks RH, RM, CH, CM, as far as asked and not implied by another asked property."""
    return [
        PairRows(name, Fraction(1), *pairs(problem.size))
        for name in ordered(without_implied(problem.properties))
        if (pairs := PROPERTIES[name].pairs) is not None
    ]


def merged_entries(problem: DesignProblem, symmetric: bool) -> Indices:
    """Variable of each entry: equal entries (F: the diagonal; S: an entry and its rotation) share one."""
    size = problem.size
    entries = np.arange(size * size, dtype=np.int64)
    representative = np.minimum(entries, rotation(entries, size)) if symmetric else entries.copy()
    if "F" in problem.properties:
        representative[entries % (size + 1) == 0] = 0
    return np.unique(representative, return_inverse=True)[1].astype(np.int64).reshape(-1)


def build(problem: DesignProblem, *, symmetric: bool | None = None) -> LinearProgram:
    """The LP of a problem; `symmetric` None merges rotations exactly where S is asked or costs nothing."""
    size = problem.size
    if symmetric is None or "S" in problem.properties:
        symmetric = "S" in problem.properties or problem.symmetry_is_free
    variable_of = merged_entries(problem, symmetric)
    n_variables = int(variable_of.max()) + 1
    rows_of, columns_of = np.divmod(np.arange(size * size, dtype=np.int64), size)
    distance = np.zeros(n_variables, dtype=np.int64)
    distance[variable_of] = np.abs(rows_of - columns_of)
    floor = Fraction(1, size) if "WH" in without_implied(problem.properties) else Fraction(0)
    diagonal = np.zeros(n_variables, dtype=bool)
    diagonal[variable_of[:: size + 1]] = True
    blocks = [privacy_rows(problem), *property_rows(problem)]
    ratios = tuple(dict.fromkeys(block.ratio for block in blocks))
    rows = _distinct_rows(blocks, ratios, variable_of, n_variables)
    return LinearProgram(
        problem=problem,
        symmetric=symmetric,
        variable_of=variable_of,
        distance=distance,
        cost=_merged_cost(problem, variable_of, n_variables),
        floor=tuple(floor if on_diagonal else Fraction(0) for on_diagonal in diagonal.tolist()),
        ratios=ratios,
        ratio_of=rows[0],
        upper=variable_of[rows[2]],
        lower=variable_of[rows[3]],
        row_kind=tuple(blocks[b].kind for b in rows[1].tolist()),
        row_entries=(rows[2], rows[3]),
        sums=_column_sums(variable_of, size, symmetric),
    )


def _distinct_rows(
    blocks: list[PairRows], ratios: tuple[Fraction, ...], variable_of: Indices, n_variables: int
) -> tuple[Indices, Indices, Indices, Indices]:
    """(ratio index, block index, upper entry, lower entry) of the rows that are needed.

    Of rows between the same two variables only the one with the largest ratio is kept: it implies the others. A row
    of a variable with itself says nothing (ratio <= 1).
    """
    upper = np.concatenate([block.upper for block in blocks])
    lower = np.concatenate([block.lower for block in blocks])
    block_of = np.repeat(np.arange(len(blocks), dtype=np.int64), [len(block.upper) for block in blocks])
    ratio_of = np.array([ratios.index(block.ratio) for block in blocks], dtype=np.int64)[block_of]
    rank = np.array([sorted(ratios, reverse=True).index(ratio) for ratio in ratios])[ratio_of]
    key = variable_of[upper] * n_variables + variable_of[lower]
    order = np.lexsort((np.arange(len(key)), rank, key))
    first = np.ones(len(key), dtype=bool)
    first[1:] = key[order][1:] != key[order][:-1]
    kept = order[first & (variable_of[upper] != variable_of[lower])[order]]
    kept.sort()
    return ratio_of[kept], block_of[kept], upper[kept], lower[kept]


def _merged_cost(problem: DesignProblem, variable_of: Indices, n_variables: int) -> tuple[Fraction, ...]:
    members: list[list[Fraction]] = [[] for _ in range(n_variables)]
    flat = [value for row in problem.cost for value in row]
    for variable, value in zip(variable_of.tolist(), flat, strict=True):
        members[variable].append(value)
    return tuple(total(values) for values in members)


def _column_sums(variable_of: Indices, size: int, symmetric: bool) -> tuple[ColumnSum, ...]:
    """One sum for each input; under symmetry column n-j repeats column j and is left out."""
    kept = range((size + 1) // 2) if symmetric else range(size)
    sums = []
    for j in kept:
        variables, multiplicity = np.unique(variable_of[j::size], return_counts=True)
        sums.append(ColumnSum(j, variables.astype(np.int64), multiplicity.astype(np.int64)))
    return tuple(sums)
