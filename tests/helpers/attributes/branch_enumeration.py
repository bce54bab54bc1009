"""Work out mean and covariance of estimates from the reports' law, where each branch has a given number of users.

A peer of the covariances in `marginals`: it knows no formula of theirs. It uses the law of one report, how a report
changes an estimate, and that users are shared out over the branches at random.
"""

from functools import lru_cache

import numpy as np

from mechdesign_catalog.oracles.ragged import Ragged
from mechdesign_catalog.oracles.reports import Reports, State


def single_report(oracle, key):
    """The one report that a law lists under this key."""
    rest, columns = iter(key), {}
    for name, column in oracle.privatize(np.zeros((1, len(oracle.domains)), dtype=np.int64)).columns.items():
        if isinstance(column, Ragged):
            data = np.frombuffer(bytes(rest), dtype=np.uint8)
            columns[name] = Ragged(np.array([0, len(data)]), data)
        elif column.ndim == 1:
            columns[name] = np.array([next(rest)], dtype=column.dtype)
        else:
            columns[name] = np.array([[next(rest) for _ in range(column.shape[1])]], dtype=column.dtype)
    return Reports(oracle.parameters, columns)


@lru_cache(maxsize=1)
def law_and_sums(oracle):
    """The law of one report, in floats, and the sums that each report adds to a state."""
    law = {key: np.array([float(chance) for chance in row]) for key, row in oracle.report_law().items()}
    return law, {key: oracle.aggregate(single_report(oracle, key)).sums for key in law}


def tuple_numbers(oracle, values):
    return np.ravel_multi_index(tuple(values.T), oracle.domains)


def enumerated(oracle, estimator, subset, values, counts):
    """Mean and covariance of a table's estimate where branch b has `counts[b]` of the users `values`.

    A report's effect is how the estimate changes when it takes the place of another of its branch; the estimate is a
    constant and the sum of the effects of all reports.
    """
    counts = np.asarray(counts, dtype=np.int64)
    users, branches = int(counts.sum()), len(counts)
    law, sums = law_and_sums(oracle)
    branch_of = {key: int(np.argmax(part[:branches])) for key, part in sums.items()}
    stand_in = {}
    for key, branch in branch_of.items():
        stand_in.setdefault(branch, key)
    base = sum(counts[branch] * sums[key] for branch, key in stand_in.items())

    def estimate(state_sums):
        return estimator.estimate(State(oracle.parameters, users, state_sums), [subset])[0]

    constant = estimate(base)
    tuples = tuple_numbers(oracle, values)
    means = np.zeros((branches, users, len(constant)))
    squares = np.zeros((branches, len(constant), len(constant)))
    for key, branch in branch_of.items():
        if not counts[branch]:
            continue
        effect = estimate(base + sums[key] - sums[stand_in[branch]]) - constant
        chances = law[key][tuples]
        means[branch] += np.outer(chances, effect)
        squares[branch] += chances.sum() * np.outer(effect, effect)
    totals = np.array([sum(law[key][0] for key in law if branch_of[key] == b) for b in range(branches)])
    means, squares = means / totals[:, None, None], squares / totals[:, None, None]  # given the branch
    together = np.outer(counts, counts) - np.diag(counts)  # ordered pairs of users in two branches
    mean = np.einsum("b,bui->i", counts / users, means)
    second = np.einsum("b,bij->ij", counts / users, squares)
    if users > 1:
        of_branch = means.sum(axis=1)
        pairs = np.einsum("bc,bi,cj->ij", together, of_branch, of_branch)
        pairs -= np.einsum("bc,bui,cuj->ij", together, means, means)
        second = second + pairs / (users * (users - 1))
    return constant + mean, second - np.outer(mean, mean)
