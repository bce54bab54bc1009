"""The joint law that a tree of dependences gives, and synthetic rows from it."""

from dataclasses import dataclass
from functools import reduce

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.analyses.dependence.trees import DependenceTree
from mechdesign_catalog.decoders.tables.subsets import Domains, Shares, Subset
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats

Message = tuple[Subset, Floats]
"""Attributes below one, and the shares of their cells given its item, shape (items, cells)."""


@dataclass(frozen=True, eq=False)
class TreeLaw:
    """The joint law of a tree: that of each attribute given the item of the one it hangs on.

    `Pr[x] = prod_i Pr[x_i | x_parent(i)]`. It is post-processing of what was estimated: it costs no privacy, and is not
    unbiased. It is of the attributes' dependences along the tree only.

    Attributes:
        domains: number of items of each attribute.
        parents: of each attribute, None for the first of a tree; parents stand before their children.
        given: of each attribute, shape (items of its parent, its items), one row for the first of a tree.
    """

    domains: Domains
    parents: dict[int, int | None]
    given: dict[int, Floats]

    @classmethod
    def of(cls, tree: DependenceTree, shares: Shares) -> "TreeLaw":
        """Take the laws along the edges from tables of one and two attributes that are nonnegative and of total 1.

        Where a table has nobody with an item of the parent, the attribute has its own shares there. Tables that were
        put on the simplex one by one need not agree on an attribute's shares: they are followed from the first of the
        tree on, so the law is not the same from wherever the tree hangs. Those of `priview` agree.
        """
        parents = tree.parents
        given = {i: _conditional(shares, i, parent) for i, parent in parents.items()}
        return cls(shares.domains, parents, given)

    def table(self, subset: Subset) -> Floats:
        """Compute the shares of the cells of a table of any attributes, in rising order; shape (cells,)."""
        below: dict[int | None, list[Message]] = {parent: [] for parent in (None, *self.parents)}
        for i, parent in reversed(self.parents.items()):
            own: Message = ((i,), np.eye(self.domains[i])) if i in subset else ((), np.ones((self.domains[i], 1)))
            names, cells = reduce(_beside, below[i], own)
            below[parent].append((names, self.given[i] @ cells))
        names, cells = reduce(_beside, below[None])
        shape = [self.domains[i] for i in names]
        return np.asarray(cells.reshape(shape).transpose(np.argsort(names, kind="stable")).reshape(-1))

    def sample(self, rows: int, generator: np.random.Generator) -> Values:
        """Draw synthetic rows, shape (rows, d): each attribute given the item that its parent drew.

        Raises:
            InputError: for a number of rows that is not a whole one from 1 on.
        """
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise InputError(f"sample must be a whole number of rows from 1 on, got {rows}")
        values = np.zeros((rows, len(self.domains)), dtype=np.int64)
        for i, parent in self.parents.items():
            of_parent = np.zeros(rows, dtype=np.int64) if parent is None else values[:, parent]
            for item, law in enumerate(self.given[i]):
                here = np.flatnonzero(of_parent == item)
                values[here, i] = generator.choice(len(law), size=len(here), p=law)
        return values


def _conditional(shares: Shares, i: int, parent: int | None) -> Floats:
    own = _law(shares.table((i,)))
    if parent is None:
        return own[None]
    r, s = (shares.domains[j] for j in sorted((parent, i)))
    table = shares.table((min(parent, i), max(parent, i))).reshape(r, s)
    rows = table if parent < i else table.T
    return np.array([_law(row) if row.sum() > 0 else own for row in rows])


def _law(shares: Floats) -> Floats:
    return np.asarray(shares / shares.sum())


def _beside(left: Message, right: Message) -> Message:
    """Attributes that are independent of each other given the item: their cells are products."""
    cells = left[1][:, :, None] * right[1][:, None, :]
    return (*left[0], *right[0]), cells.reshape(len(cells), -1)
