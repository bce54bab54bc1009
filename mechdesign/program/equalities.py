"""Equalities: entries that a property ties, and multipliers carried between them.

A property that is its own rotation (S) is not among them: the linear program merges an entry with its rotation, and the
kernel averages over the two.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.property import Property
from mechdesign.program.exact.numbers import ZERO

Amount = TypeVar("Amount", bound=Any)
"""A number of any kind, or a function."""


@dataclass(frozen=True)
class EqualEntries:
    """An equality `P[first] = P[second]`, by a property of that kind; entries are numbered `i * size + j`."""

    kind: str
    first: int
    second: int


def ties(problem: DesignProblem) -> list[EqualEntries]:
    """List the equalities of the needed properties."""
    return list(_ties(problem.needed, problem.size))


@lru_cache(maxsize=16)
def _ties(needed: tuple[Property, ...], size: int) -> tuple[EqualEntries, ...]:
    """Work them out once: every method asks for them, some several times."""
    return tuple(
        EqualEntries(prop.kind, first, second)
        for prop in needed
        if prop.equal is not None and not prop.is_rotation
        for first, second in zip(*(side.tolist() for side in prop.equal(size)), strict=True)
    )


def node_of(problem: DesignProblem, entry: int) -> int:
    """Return the entry that stands for a given one: itself, or the first of it and its rotation where S is asked.

    Where S is asked the kernel averages over the two.
    """
    return min(entry, problem.size**2 - 1 - entry) if problem.asks_rotation else entry


def trees(problem: DesignProblem) -> list[list[tuple[int, EqualEntries | None, int]]]:
    """List a tree of ties for each class of tied entries: (node, tie to its parent, parent), parents first."""
    links: dict[int, list[tuple[EqualEntries, int]]] = {}
    for tie in ties(problem):
        first, second = node_of(problem, tie.first), node_of(problem, tie.second)
        links.setdefault(first, []).append((tie, second))
        links.setdefault(second, []).append((tie, first))
    found: list[list[tuple[int, EqualEntries | None, int]]] = []
    seen: set[int] = set()
    for root in sorted(links):
        if root in seen:
            continue
        seen.add(root)
        tree: list[tuple[int, EqualEntries | None, int]] = [(root, None, root)]
        for node, _, _ in tree:
            for tie, other in links[node]:
                if other not in seen:
                    seen.add(other)
                    tree.append((other, tie, node))
        found.append(tree)
    return found


def carry_multipliers(problem: DesignProblem, supply: Mapping[int, Amount]) -> list[tuple[EqualEntries, Amount]]:
    """Find multipliers on the ties that take `supply` off each node.

    What the nodes of a class have together must be 0, else the rest stays at its root. A multiplier m on a tie takes m
    off its first entry and adds it to its second.
    """
    rows: list[tuple[EqualEntries, Amount]] = []
    for tree in trees(problem):
        left: dict[int, Any] = {node: supply.get(node, ZERO) for node, _, _ in tree}
        for node, tie, parent in reversed(tree):
            if tie is None or not left[node]:
                continue
            rows.append((tie, left[node] if node_of(problem, tie.first) == node else -left[node]))
            left[parent] += left[node]
    return rows
