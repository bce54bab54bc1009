"""Dependence of 32 attributes: seconds for all tests, the tree and its rows; and, with --mbi, what mbi makes of tables.

    python tests/benchmarks/dependence.py
    pip install -e ".[mbi]" && python tests/benchmarks/dependence.py --mbi

A figure to quote is a ratio of the same run: to the estimates of the same tables with their errors.
"""

import itertools
import math
import sys

import numpy as np
from measuring import cpu_seconds, load, row

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.analyses.dependence.associations import find_associations
from mechdesign_catalog.analyses.dependence.learning import learn_tree
from mechdesign_catalog.analyses.dependence.measurements import mbi_measurements
from mechdesign_catalog.decoders.tables.subsets import subsets_of
from mechdesign_catalog.systems.tables.estimates import LinearTables
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle

USERS, EPSILON, ROWS = 100_000, 1.1, 100_000


def people(domains: tuple[int, ...]) -> np.ndarray:
    """Items of users: of each two attributes that follow each other the second is often as the first."""
    generator = np.random.default_rng(1)
    columns = [generator.integers(r, size=USERS) for r in domains]
    for before, after in itertools.pairwise(columns):
        same = generator.random(USERS) < 0.4
        after[same] = np.minimum(before[same], after.max())
    return np.column_stack(columns)


def source(text: str, domains: tuple[int, ...]) -> LinearTables:
    """Least-squares tables of one collection."""
    oracle = parse_marginal_oracle(text, domains, Privacy(epsilon=EPSILON))
    return LinearTables(oracle, oracle.simulate_sums(people(domains), np.random.default_rng(2)))


def uses(text: str, domains: tuple[int, ...]) -> None:
    """Seconds of CPU for tables, tests, tree and rows."""
    d = len(domains)
    find_associations(source(text, domains[:2]))  # imports
    tables = cpu_seconds(lambda: source(text, domains).tables(subsets_of(d, 2)))
    row(f"{text}, {d} attributes, {math.comb(d, 2)} tables with errors", f"{tables:.2f} s", "")
    works = {
        "tests without a bootstrap": lambda: find_associations(source(text, domains), replicates=0),
        "tests with 999 tables each": lambda: find_associations(source(text, domains)),
        "tree": lambda: learn_tree(source(text, domains)),
    }
    for name, work in works.items():
        taken = cpu_seconds(work)
        row(f"{text}, {d} attributes, {name}", f"{taken:.2f} s", f"{taken / tables:.1f} x the tables")
    law = learn_tree(source(text, domains)).law
    taken = cpu_seconds(lambda: law.sample(ROWS, np.random.default_rng(0)))
    row(f"{ROWS:,} rows of {d} attributes", f"{taken:.2f} s", "")


def hand_over(text: str, domains: tuple[int, ...]) -> None:
    """Estimate a joint law by mbi: where no share is negative its tables are those of least squares."""
    import jax
    import mbi

    jax.config.update("jax_enable_x64", True)
    tables = source(text, domains)
    names = [f"a{i}" for i in range(len(domains))]
    domain, measured, users = mbi_measurements(tables, names)
    model = mbi.estimation.MirrorDescent().estimate(domain, measured, known_total=users)
    far = 0.0
    for subset in subsets_of(len(domains), 2):
        found = np.asarray(model.project(tuple(names[i] for i in subset)).datavector()) / users
        far = max(far, float(np.abs(found - tables.table(subset).shares).max()))
    row(f"{text}, {len(domains)} attributes by mbi", f"{far:.1e}", "largest distance to least squares")


def main() -> None:
    """Time everything."""
    print(load())
    uses("inpht:k=2", (2,) * 32)
    uses("margps:k=2", (16, 7, 15, 6, 2))
    if "--mbi" in sys.argv:
        hand_over("inpht:k=2", (2,) * 5)
        hand_over("margps:k=2", (3, 2, 4))
    print(load())


if __name__ == "__main__":
    main()
