"""Tables that agree and have no negative share: seconds for all tables of 32 attributes, and for larger tables.

    python tests/benchmarks/agreement.py

A figure to quote is a ratio of the same run: to least squares of the same tables, or to one pass over the larger table.
"""

import itertools
import math

import numpy as np
from measuring import cpu_seconds, load, row, seconds

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.tables.family import TableFamily
from mechdesign_catalog.decoders.tables.max_entropy import max_entropy_law
from mechdesign_catalog.decoders.tables.subsets import subsets_of
from mechdesign_catalog.systems.tables.consistency.agreeing_tables import AgreeingTables
from mechdesign_catalog.systems.tables.estimates import LinearTables
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle

USERS, EPSILON = 100_000, 1.1
ADULT = (16, 7, 15, 6)
"""Numbers of items of four attributes of Adult: education, marital status, occupation, relationship."""


def people(domains: tuple[int, ...]) -> np.ndarray:
    """Items of users: the lower items are more frequent, and each attribute often has the item of the one before."""
    generator = np.random.default_rng(1)
    columns = [np.floor(r * generator.random(USERS) ** 2).astype(np.int64) for r in domains]
    for before, after in itertools.pairwise(columns):
        same = generator.random(USERS) < 0.4
        after[same] = np.minimum(before[same], after.max())
    return np.column_stack(columns)


def source(text: str, domains: tuple[int, ...]) -> LinearTables:
    """Least-squares tables of one collection."""
    oracle = parse_marginal_oracle(text, domains, Privacy(epsilon=EPSILON))
    return LinearTables(oracle, oracle.simulate_sums(people(domains), np.random.default_rng(2)))


def all_tables(text: str, domains: tuple[int, ...], target: str) -> None:
    """All tables of `way` attributes: least squares, and the nearest of them without negative shares."""
    tables = source(text, domains)
    subsets = subsets_of(len(domains), tables.way)
    plain = cpu_seconds(lambda: source(text, domains).shares(subsets))
    family = TableFamily(domains, tables.way)
    start = family.row(dict(zip(subsets, tables.shares(subsets), strict=True)))
    ours = seconds(lambda: AgreeingTables(tables).shares(subsets), runs=3)
    found = AgreeingTables(tables).largest
    off = float(np.linalg.norm(family.row(found) - start))
    label = f"{len(subsets)} tables of {len(domains)} attributes, {text}"
    row(label, f"{ours:.2f} s", f"{target}; collection and least squares {plain:.2f} s of CPU; moved by {off:.3f}")


def larger_table(text: str, domains: tuple[int, ...]) -> None:
    """One table of all attributes by maximum entropy, from tables of two that agree."""
    agreeing = AgreeingTables(source(text, domains)).largest
    family = TableFamily(domains, 2)
    plain = seconds(lambda: np.exp(np.linspace(-1, 0, math.prod(domains))))
    ours = seconds(lambda: max_entropy_law(family, family.row(agreeing)), runs=3)
    label = f"maximum entropy of {math.prod(domains):,} cells, {family.count} coefficients"
    row(label, f"{ours:.2f} s", f"{ours / plain:,.0f} x one exponential of each cell")


def main() -> None:
    """Time everything."""
    print(load())
    for text in ("inpht:k=2", "margps:k=2"):
        all_tables(text, (2,) * 32, "under 5 s")
    all_tables("inpht:k=3", (2,) * 32, "no target")
    all_tables("margps:k=2", ADULT, "no target")
    larger_table("inpht:k=2", (2,) * 8)
    larger_table("inpht:k=2", (2,) * 14)
    larger_table("margps:k=2", ADULT)
    print(load())


if __name__ == "__main__":
    main()
