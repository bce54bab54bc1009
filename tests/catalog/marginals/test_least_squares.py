"""Least squares of every system: tables agree, and are those of a dense fit that knows the laws of reports alone."""

from itertools import combinations

import numpy as np
import pytest
from branch_enumeration import law_and_sums
from numpy.testing import assert_allclose
from scipy.linalg import null_space
from table_doubles import incidence

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.marginals.registry import MARGINAL_ORACLES, parse_marginal_oracle
from mechdesign_catalog.oracles.reports import State

HASHED = {"inpolh", "inphtcms"}  # laws over public hashes are too long to list
OPTIONS = {"inpht": ["", ":draw=uniform"], "inpes": ["", ":basis=helmert"]}
MIXED = {
    "inpht": (3, 2, 3),
    "inpes": (3, 2, 3),
    "inpps": (3, 2, 2),
    "spl": (3, 2, 2),
    "smp": (3, 2, 2),
    "rs+fd": (3, 2, 2),
    "margps": (3, 2, 2),
    "margrr": (3, 2, 2),
    "margrr:sue": (3, 2, 2),
    "calm": (2, 3, 3),
}


def make(text, domains):
    way = "" if "k" not in MARGINAL_ORACLES[text.partition(":draw")[0].partition(":basis")[0]].fields_by_option() else 2
    return parse_marginal_oracle(f"{text}:k={way}" if way else text, domains, Privacy.parse("epsilon=11/10"))


def lower_tables(oracle):
    d = len(oracle.domains)
    return [subset for size in range(1, oracle.way + 1) for subset in combinations(range(d), size)]


def drawn(oracle, users):
    generator = np.random.default_rng(5)
    people = generator.integers(0, oracle.domains, (users, len(oracle.domains)))
    people[: users // 2] = people[0]
    return oracle.draw_state(people, generator)


@pytest.mark.parametrize("name", MARGINAL_ORACLES)
def test_tables_agree_and_total_1(name):
    for domains in [(2, 2, 2, 2), *([MIXED[name]] if name in MIXED else [])]:
        oracle = make(name, domains)
        subsets = lower_tables(oracle)
        tables = dict(zip(subsets, oracle.least_squares.estimate(drawn(oracle, 3000), subsets), strict=True))
        for subset, table in tables.items():
            assert_allclose(table.sum(), 1.0, atol=1e-12)
            for part in tables:
                if set(part) < set(subset):
                    joint = [domains[i] for i in subset]
                    rows = incidence(joint, tuple(subset.index(i) for i in part))
                    assert_allclose(rows @ table, tables[part], atol=1e-12)


def any_reports(oracle):
    """A state of reports that are drawn anyhow, from many users, and each branch's number of users and sums.

    Branches have more users than planned, some twice and three times; but INPHT's weights are those of the plan.
    """
    law, sums = law_and_sums(oracle)
    planned = oracle.planned_users(10_000)
    branched = isinstance(planned, np.ndarray)
    branches = len(planned) if branched else 1
    branch_of = {key: int(np.argmax(part[:branches])) if branched else 0 for key, part in sums.items()}
    uneven = 1 if oracle.name == "inpht" else 1 + np.arange(branches) % 3
    counts = np.rint(1e8 * uneven * planned / np.min(planned)).astype(int).reshape(branches)
    generator = np.random.default_rng(9)
    found = np.zeros((branches, len(next(iter(sums.values())))))
    for branch, count in enumerate(counts):
        keys = [key for key in law if branch_of[key] == branch]
        for chosen, number in zip(
            keys, generator.multinomial(count, generator.dirichlet(np.ones(len(keys)))), strict=True
        ):
            found[branch] += number * sums[chosen]
    state = State(oracle.parameters, int(counts.sum()), found.sum(axis=0).astype(np.int64))
    return state, counts, found, branch_of


def dense_fit(oracle, counts, found, branch_of):
    """Shares of all tuples by generalised least squares with total 1: some are not unique, tables of k attributes are.

    The mean report of a branch is linear in the shares. Its noise is that where all tuples are as frequent, with the
    sampling of the users; its inverse is taken where it has one.
    """
    law, sums = law_and_sums(oracle)
    size = len(next(iter(law.values())))
    normal, goal = np.zeros((size, size)), np.zeros(size)
    for branch, count in enumerate(counts):
        keys = [key for key in law if branch_of[key] == branch]
        chances = np.array([law[key] for key in keys])
        chances = chances / chances.sum(axis=0)
        scores = np.array([sums[key] for key in keys], dtype=float)
        weight = count * np.linalg.pinv((scores.T * chances.mean(axis=1)) @ scores, rcond=1e-10, hermitian=True)
        means = scores.T @ chances
        normal += means.T @ weight @ means
        goal += means.T @ weight @ found[branch] / count
    start, free = np.full(size, 1 / size), null_space(np.ones((1, size)))
    inverse = np.linalg.pinv(free.T @ normal @ free, rcond=1e-9, hermitian=True)
    return start + free @ (inverse @ (free.T @ (goal - normal @ start)))


DENSE = [
    (name + option, domains)
    for name in MARGINAL_ORACLES
    if name not in HASHED
    for option in OPTIONS.get(name, [""])
    for domains in [(2, 2, 2), *([MIXED[name]] if name in MIXED else [])]
]


@pytest.mark.parametrize(("text", "domains"), DENSE, ids=str)
def test_least_squares_is_the_dense_fit_to_all_reports(text, domains):
    oracle = make(text, domains)
    state, counts, found, branch_of = any_reports(oracle)
    joint = dense_fit(oracle, counts, found, branch_of)
    subsets = lower_tables(oracle)
    for subset, table in zip(subsets, oracle.least_squares.estimate(state, subsets), strict=True):
        assert_allclose(table, incidence(domains, subset) @ joint, atol=1e-9)
