"""A start for a program whose rows stay within outputs: few outputs together, each of the others by itself.

Only the equations tie outputs to each other. So a program over a few of them says by the prices of its equations what
any other one costs, which a small program over its rows alone tells: those join that pay. At the end the bases of all
these programs are together a basis of the whole one, and nearly always that of its optimum.
"""

import time
from dataclasses import dataclass

import highspy
import numpy as np

from mechdesign.methods.lp.method import FEWEST_VARIABLES, may_begin_by_outputs
from mechdesign.program.clock import Clock
from mechdesign.program.exact.scaling import Scaling
from mechdesign.program.linear_program import LinearProgram
from mechdesign.program.solvers.highs_ import DEVEX, new_highs, run_interruptibly, status_text, to_highs_basis
from mechdesign.program.solvers.numeric import Basis, Flags, Floats, Indices

FEWEST_BLOCKS = 8
"""Measured: the whole program is solved sooner where there are fewer."""

FIRST_BLOCKS = 5
MOST_A_ROUND = 6
TOLERANCE = 1e-9
"""Of the cost of a block whose first entry is at most 1, in scaled units."""

PRIMAL = 4
"""HiGHS's number of the primal simplex, for a basis that is feasible when prices change."""


def basis_by_outputs(program: LinearProgram, clock: Clock) -> Basis | None:
    """Return a basis to start from; None where rows tie outputs to each other, or a floor keeps them from being 0.

    Raises:
        LimitReachedError: when the clock runs out.
    """
    if program.n_variables < FEWEST_VARIABLES or not may_begin_by_outputs(program.problem):
        return None
    blocks = _blocks(program)
    if len(blocks) < FEWEST_BLOCKS:
        return None
    started = time.perf_counter()
    found = _Search(program, blocks, clock).run()
    clock.solving += time.perf_counter() - started
    return found


@dataclass(frozen=True)
class _Block:
    """The variables and the rows of an output."""

    variables: Indices
    rows: Indices


def _blocks(program: LinearProgram) -> list[_Block]:
    """Return the blocks of variables that rows tie to each other."""
    n = program.n_variables
    from scipy.sparse import csr_array  # slow to load
    from scipy.sparse.csgraph import connected_components

    ties = csr_array((np.ones(program.n_rows), (program.upper, program.lower)), shape=(n, n))
    count, block_of = connected_components(ties, directed=False)
    order, rows = np.argsort(block_of, kind="stable"), np.argsort(block_of[program.upper], kind="stable")
    ends = np.cumsum(np.bincount(block_of, minlength=count))[:-1]
    row_ends = np.cumsum(np.bincount(block_of[program.upper], minlength=count))[:-1]
    return [_Block(*pair) for pair in zip(np.split(order, ends), np.split(rows, row_ends), strict=True)]


class _Part:
    """Some blocks in a program of their own, in HiGHS between changes of costs.

    Equations bind where the part is the master; else the first variable of its only block is at most 1.
    """

    def __init__(self, search: "_Search", numbers: list[int], *, is_master: bool) -> None:
        self.search, self.numbers, self.is_master = search, numbers, is_master
        self.variables = np.concatenate([search.blocks[b].variables for b in numbers])
        self.rows = np.concatenate([search.blocks[b].rows for b in numbers])
        program, scaling = search.program, search.scaling
        place = np.full(program.n_variables, -1, dtype=np.int64)
        place[self.variables] = np.arange(len(self.variables))
        entries = np.stack([place[program.upper[self.rows]], place[program.lower[self.rows]]], axis=1)
        values = np.stack([np.ones(len(self.rows)), -scaling.coefficient[self.rows]], axis=1)
        counts, index, value = [np.full(len(self.rows), 2)], [entries.ravel()], [values.ravel()]
        for variables, coefficients in zip(*scaling.equations, strict=True):
            held = place[variables] >= 0
            if is_master:
                counts.append(np.array([held.sum()]))
                index.append(place[variables[held]])
                value.append(coefficients[held])
        n_equations = len(program.equations) if is_master else 1
        if not is_master:
            counts.append(np.array([1]))
            index.append(np.array([0]))
            value.append(np.ones(1))
        low = np.array([float(e.rhs) for e in program.equations]) if is_master else np.array([-np.inf])
        high = low if is_master else np.ones(1)
        self.highs = new_highs()
        self.highs.setOptionValue("presolve", "off")
        self.highs.setOptionValue("simplex_dual_edge_weight_strategy", DEVEX)
        if not is_master:
            self.highs.setOptionValue("simplex_strategy", PRIMAL)
        n, m = len(self.variables), len(self.rows) + n_equations
        start = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
        self.highs.passModel(
            n,
            m,
            int(start[-1]),
            int(highspy.MatrixFormat.kRowwise),
            int(highspy.ObjSense.kMinimize),
            0.0,
            scaling.cost[self.variables],
            np.zeros(n),
            np.full(n, highspy.kHighsInf),
            np.append(np.zeros(len(self.rows)), low),
            np.append(np.full(len(self.rows), np.inf), high),
            start[:-1].astype(np.int32),
            np.concatenate(index).astype(np.int32),
            np.concatenate(value),
            np.zeros(n, dtype=np.int32),
        )

    def start_from(self, smaller: "_Part") -> None:
        """Start from the basis of a program over fewer blocks: those that joined are 0."""
        program = self.search.program
        columns = np.zeros(program.n_variables, dtype=bool)
        rows = np.ones(program.n_rows + len(program.equations), dtype=bool)
        smaller.place_basis(columns, rows)
        own = Basis(columns[self.variables], np.append(rows[self.rows], rows[program.n_rows :]))
        self.highs.setBasis(to_highs_basis(own))

    def solve(self, cost: Floats | None = None) -> float | None:
        """Solve it, at another cost of each variable of the whole; return the least cost, None on trouble."""
        if cost is not None:
            n = len(self.variables)
            self.highs.changeColsCost(n, np.arange(n, dtype=np.int32), cost[self.variables])
        left = self.search.clock.left()
        if left is not None:
            self.highs.setOptionValue("time_limit", self.highs.getRunTime() + left)
        run_interruptibly(self.highs)
        self.search.clock.left()
        return float(self.highs.getObjectiveValue()) if status_text(self.highs) == "Optimal" else None

    def place_basis(self, columns: Flags, rows: Flags) -> None:
        """Write which of its variables and rows are basic into those of the whole."""
        basis, basic = self.highs.getBasis(), highspy.HighsBasisStatus.kBasic
        columns[self.variables] = [status == basic for status in basis.col_status]
        of_rows = np.array([status == basic for status in basis.row_status])
        rows[self.rows] = of_rows[: len(self.rows)]
        if self.is_master:
            rows[self.search.program.n_rows :] = of_rows[len(self.rows) :]


class _Search:
    """The search for the blocks that are used."""

    def __init__(self, program: LinearProgram, blocks: list[_Block], clock: Clock) -> None:
        self.program, self.blocks, self.clock = program, blocks, clock
        self.scaling = Scaling(program)
        self.alone: dict[int, _Part] = {}

    def run(self) -> Basis | None:
        """Let blocks join until none pays."""
        places = np.linspace(0, len(self.blocks) - 1, FIRST_BLOCKS)
        active = sorted({round(place) for place in places.tolist()})
        before: _Part | None = None
        while True:
            master = _Part(self, active, is_master=True)
            if before is not None:
                master.start_from(before)
            if master.solve() is None:
                return None
            worth = self._worth(master)
            if worth is None:
                return None
            cheap = sorted((value, b) for b, value in worth.items() if value < -TOLERANCE)
            if not cheap:
                return self._joined(master, list(worth))
            active, before = sorted({*active, *(b for _, b in cheap[:MOST_A_ROUND])}), master

    def _worth(self, master: _Part) -> dict[int, float] | None:
        """Return the least cost of each block that is not in the master, at its prices."""
        n_equations = len(self.program.equations)
        prices = np.array(master.highs.getSolution().row_dual)[-n_equations:]
        reduced = self.scaling.cost.copy()
        for (variables, coefficients), price in zip(zip(*self.scaling.equations, strict=True), prices, strict=True):
            reduced[variables] -= coefficients * price
        worth = {}
        for b in range(len(self.blocks)):
            if b in master.numbers:
                continue
            if b not in self.alone:
                self.alone[b] = _Part(self, [b], is_master=False)
            value = self.alone[b].solve(reduced)
            if value is None:
                return None
            worth[b] = value
        return worth

    def _joined(self, master: _Part, others: list[int]) -> Basis:
        columns = np.zeros(self.program.n_variables, dtype=bool)
        rows = np.zeros(self.program.n_rows + len(self.program.equations), dtype=bool)
        for part in (master, *(self.alone[b] for b in others)):
            part.place_basis(columns, rows)
        return Basis(columns, rows)
