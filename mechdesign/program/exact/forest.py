"""Exact bases: tight rows form a forest, and a small system of equations is left.

Apart from the equations (column sums, and losses in the worst case) every tight row says `x_u = r x_v`, so the tight
rows form a weighted forest. Walking a tree gives each of its variables as `fixed + slope * unknown`: the unknown is
free, or it is known because the tree holds a variable at its lower bound (a ground) or closes one unbalanced cycle.
Only a system with one line for each tight equation is left. Its transpose gives the duals of the equations, and the
duals of the tight rows follow by taking leaves off the trees. Cost: linear in the entries, plus one rational system of
about the order of a column.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from flint import fmpq_mat

from mechdesign.program.exact.exact_lp import ExactPoint, ExactProgram
from mechdesign.program.exact.numbers import ONE, ZERO, Exact
from mechdesign.program.solvers.numeric import Basis


class SingularBasisError(ArithmeticError):
    """The error when a basis does not determine exactly one point."""


@dataclass
class Tree:
    """The variables of a tree in walking order, root first, each with the row that led to it.

    That row is tight.
    """

    order: list[int]
    grounded: bool
    parent_row: dict[int, int] = field(default_factory=dict)
    cycle_row: int | None = None

    @property
    def is_free(self) -> bool:
        """Whether its unknown is left to the equations."""
        return not self.grounded and self.cycle_row is None


class ForestBasis:
    """The exact solutions of `B x = b` and `B^T y = c` for a basis B of the LP.

    Raises:
        SingularBasisError: if the nonbasic rows and variables do not determine one point.
    """

    def __init__(self, exact: ExactProgram, basis: Basis) -> None:
        n_rows = len(exact.upper)
        self.exact = exact
        self.basis = basis
        self.column_basic: list[bool] = basis.columns.tolist()
        self.row_basic: list[bool] = basis.rows.tolist()[:n_rows]
        equation_basic = basis.rows.tolist()[n_rows:]
        self.tight_equations = [k for k in range(len(exact.equations)) if not equation_basic[k]]
        self.trees = self._walk()
        self.slope = self._slopes()
        self.free = [tree for tree in self.trees if tree.is_free]
        if len(self.free) != len(self.tight_equations):
            raise SingularBasisError(f"{len(self.free)} unknowns for {len(self.tight_equations)} tight equations")
        self.unknown_of = [-1] * len(exact.cost)
        for k, tree in enumerate(self.free):
            for variable in tree.order:
                self.unknown_of[variable] = k
        self.system = self._equation_system()

    def _walk(self) -> list[Tree]:
        exact, n_variables = self.exact, len(self.column_basic)
        neighbours: list[list[int]] = [[] for _ in range(n_variables)]
        for row, basic in enumerate(self.row_basic):
            if not basic:
                neighbours[exact.upper[row]].append(row)
                neighbours[exact.lower[row]].append(row)
        seen = [False] * n_variables
        grounds = [v for v in range(n_variables) if not self.column_basic[v]]
        trees = []
        for root in [*grounds, *range(n_variables)]:
            if not seen[root]:
                trees.append(self._walk_tree(root, neighbours, seen))
        return trees

    def _walk_tree(self, root: int, neighbours: list[list[int]], seen: list[bool]) -> Tree:
        exact = self.exact
        tree = Tree([root], grounded=not self.column_basic[root])
        seen[root] = True
        used: set[int] = set()
        for variable in tree.order:
            for row in neighbours[variable]:
                if row in used:
                    continue
                used.add(row)
                other = exact.lower[row] if variable == exact.upper[row] else exact.upper[row]
                if not seen[other]:
                    if not self.column_basic[other]:
                        raise SingularBasisError("two variables of one tree are at their bounds")
                    seen[other] = True
                    tree.parent_row[other] = row
                    tree.order.append(other)
                elif tree.is_free:
                    tree.cycle_row = row
                else:
                    raise SingularBasisError("a tree is determined twice")
        return tree

    def _slopes(self) -> list[Exact]:
        """Return each variable as a multiple of its tree's root."""
        exact = self.exact
        slope = [ONE] * len(self.column_basic)
        for tree in self.trees:
            for variable in tree.order[1:]:
                row = tree.parent_row[variable]
                if variable == exact.upper[row]:
                    slope[variable] = slope[exact.lower[row]] * exact.ratio[row]
                else:
                    slope[variable] = slope[exact.upper[row]] / exact.ratio[row]
        return slope

    def _equation_system(self) -> fmpq_mat:
        size = len(self.tight_equations)
        matrix = [[ZERO] * size for _ in range(size)]
        for line, k in enumerate(self.tight_equations):
            for variable, coefficient in self.exact.equations[k]:
                if self.unknown_of[variable] >= 0:
                    matrix[line][self.unknown_of[variable]] += coefficient * self.slope[variable]
        return fmpq_mat(matrix) if size else fmpq_mat(0, 0)

    def _solve_equations(self, rhs: list[Exact], transposed: bool) -> list[Exact]:
        if not rhs:
            return []
        system = self.system.transpose() if transposed else self.system
        try:
            return list(system.solve(fmpq_mat([[value] for value in rhs])).entries())
        except ZeroDivisionError:
            raise SingularBasisError("the equations do not determine the trees") from None

    def point(self) -> ExactPoint:
        """Return the vertex of this basis and its multipliers."""
        x = self.primal({}, self.exact.floor, self.exact.rhs)
        row_dual, equation_dual = self.dual(self.exact.cost)
        return ExactPoint(x, row_dual, equation_dual, self.basis)

    def primal(self, row_offset: dict[int, Exact], ground: Sequence[Exact], rhs: Sequence[Exact]) -> list[Exact]:
        """Solve for the vertex.

        It has `x_u = r x_v + offset` on tight rows, `x_v = ground_v` where nonbasic, and satisfies the tight equations.
        """
        exact = self.exact
        fixed = [ZERO] * len(self.column_basic)
        for tree in self.trees:
            root = tree.order[0]
            if tree.grounded:
                fixed[root] = ground[root]
            for variable in tree.order[1:]:
                row = tree.parent_row[variable]
                offset = row_offset.get(row, ZERO)
                if variable == exact.upper[row]:
                    fixed[variable] = exact.ratio[row] * fixed[exact.lower[row]] + offset
                else:
                    fixed[variable] = (fixed[exact.upper[row]] - offset) / exact.ratio[row]
            if tree.cycle_row is not None:
                self._close_cycle(tree, tree.cycle_row, fixed, row_offset.get(tree.cycle_row, ZERO))
        open_rhs = [
            rhs[k] - sum((m * fixed[v] for v, m in exact.equations[k] if fixed[v]), ZERO) for k in self.tight_equations
        ]
        unknowns = self._solve_equations(open_rhs, transposed=False)
        return [
            value + self.slope[v] * unknowns[k] if (k := self.unknown_of[v]) >= 0 else value
            for v, value in enumerate(fixed)
        ]

    def _close_cycle(self, tree: Tree, row: int, fixed: list[Exact], offset: Exact) -> None:
        """Add the multiple of the slopes that makes the cycle's last row tight."""
        up, low, ratio = self.exact.upper[row], self.exact.lower[row], self.exact.ratio[row]
        imbalance = self.slope[up] - ratio * self.slope[low]
        if not imbalance:
            raise SingularBasisError("the tight rows close a balanced cycle")
        unknown = (ratio * fixed[low] + offset - fixed[up]) / imbalance
        if unknown:
            for variable in tree.order:
                fixed[variable] += self.slope[variable] * unknown

    def dual(self, cost: Sequence[Exact]) -> tuple[list[Exact], list[Exact]]:
        """Solve for the multipliers of rows and equations that give every basic variable the reduced cost zero."""
        exact = self.exact
        costs = [sum((self.slope[v] * cost[v] for v in tree.order), ZERO) for tree in self.free]
        equation_dual = [ZERO] * len(exact.equations)
        for k, value in zip(self.tight_equations, self._solve_equations(costs, transposed=True), strict=True):
            equation_dual[k] = value
        residual = exact.after_equations(cost, equation_dual)
        row_dual = [ZERO] * len(exact.upper)
        for tree in self.trees:
            if tree.cycle_row is not None:
                self._set_cycle_dual(tree, tree.cycle_row, residual, row_dual)
            for variable in reversed(tree.order[1:]):
                if residual[variable]:
                    self._take_leaf_off(variable, tree.parent_row[variable], residual, row_dual)
        return row_dual, equation_dual

    def _take_leaf_off(self, leaf: int, row: int, residual: list[Exact], row_dual: list[Exact]) -> None:
        up, low, ratio = self.exact.upper[row], self.exact.lower[row], self.exact.ratio[row]
        row_dual[row] = residual[leaf] if leaf == up else -residual[leaf] / ratio
        residual[up] -= row_dual[row]
        residual[low] += ratio * row_dual[row]

    def _set_cycle_dual(self, tree: Tree, row: int, residual: list[Exact], row_dual: list[Exact]) -> None:
        """Set the multiplier of the cycle's last row: what all leaves carry to the root must cancel there."""
        up, low, ratio = self.exact.upper[row], self.exact.lower[row], self.exact.ratio[row]
        imbalance = self.slope[up] - ratio * self.slope[low]
        if not imbalance:
            raise SingularBasisError("the tight rows close a balanced cycle")
        row_dual[row] = sum((self.slope[v] * residual[v] for v in tree.order), ZERO) / imbalance
        residual[up] -= row_dual[row]
        residual[low] += ratio * row_dual[row]
