"""Enumerate the reports of an oracle for marginal tables, and what it makes of each: for tests that know no formula."""

from collections.abc import Sequence

import numpy as np

from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.marginals.marginal_base import MarginalBase
from mechdesign_catalog.multidimensional.marginal_oracle import LinearEstimator, MarginalOracle
from mechdesign_catalog.multidimensional.tables import JointShares, PeopleShares, Subset, cell_numbers
from mechdesign_catalog.oracles import Reports


def all_tuples(domains: Sequence[int]) -> np.ndarray:
    """Every combination of items, one a row, the last attribute changing fastest."""
    return np.array(list(np.ndindex(*domains)), dtype=np.int64)


def enumerated(oracle: MarginalOracle) -> tuple[Reports, np.ndarray]:
    """Every report of the law, one a row, and its chances for every tuple, shape (reports, tuples)."""
    law = oracle.report_law()
    cells = np.array(list(law), dtype=np.int64)
    columns, start = {}, 0
    for name, column in oracle.privatize(all_tuples(oracle.domains)[:1], seeded_words(0)).columns.items():
        width = column[0].size
        columns[name] = cells[:, start : start + width].astype(column.dtype).reshape(-1, *column.shape[1:])
        start += width
    assert start == cells.shape[1]
    return Reports(oracle.parameters, columns), np.array(list(law.values()), dtype=np.float64)


def assert_law_is_private(oracle: MarginalOracle) -> None:
    """Chances sum to 1, and the smallest ratio of two of the same report is `alpha`, exactly."""
    law = oracle.report_law()
    rows = list(law.values())
    assert all(sum(column) == 1 for column in zip(*rows, strict=True))
    assert min(min(row) / max(row) for row in rows if max(row)) == oracle.alpha
    assert oracle.privacy.allows(oracle.alpha)


def assert_tables_are_those_of_the_law(oracle: MarginalOracle, subsets: Sequence[Subset]) -> None:
    """Estimates of one report each, raw and by least squares, for an oracle that does not share its users out."""
    reports, chances = enumerated(oracle)
    states = [oracle.aggregate(reports[i : i + 1]) for i in range(len(reports))]
    for estimator in (oracle.raw, oracle.least_squares):
        found = [estimator.estimate(state, subsets) for state in states]
        for number, subset in enumerate(subsets):
            scores = np.array([tables[number] for tables in found])
            assert_scores_are_stated(oracle, estimator, subset, scores, chances)


def assert_scores_are_stated(
    oracle: MarginalOracle, estimator: LinearEstimator, subset: Subset, scores: np.ndarray, chances: np.ndarray
) -> None:
    """Scores of all reports, shape (reports, cells): right in the mean, and of the stated covariance at any shares."""
    people, size = all_tuples(oracle.domains), (scores**2).max()
    own = np.eye(scores.shape[1])[cell_numbers(oracle.domains, subset, people)]
    np.testing.assert_allclose(chances.T @ scores, own, atol=1e-9 * np.sqrt(size))
    products = np.einsum("rt,rc,re->tce", chances, scores, scores) - np.einsum("tc,te->tce", own, own)
    generator = np.random.default_rng(len(people))
    for joint in (np.full(len(people), 1 / len(people)), np.eye(len(people))[1], generator.dirichlet(own[:, 0] + 0.5)):
        shares = JointShares(oracle.domains, joint)
        expected = np.einsum("t,tce->ce", joint, products) / 50
        np.testing.assert_allclose(estimator.covariance(subset, shares, 50), expected, atol=1e-11 * size)
        variances = estimator.variances(subset, shares, 50)
        np.testing.assert_allclose(variances, np.diag(expected), atol=1e-11 * size)
        least = estimator.least_variances(subset, 50)
        assert (least > 0).all()
        assert (least <= variances * (1 + 1e-9)).all()


def assert_drawn_states_have_the_law(oracle: MarginalBase, subset: Subset) -> None:
    """Means and covariances of tables of drawn states; a right one fails with a chance of about 1e-3 over seeds."""
    generator = np.random.default_rng(7)
    people = generator.integers(0, oracle.domains, (60, len(oracle.domains)))
    people[:30] = people[0]
    shares, draws = PeopleShares(oracle.domains, people), 2000
    states = [oracle.draw_state(people, generator) for _ in range(draws)]
    for estimator in (oracle.raw, oracle.least_squares):
        covariance = estimator.covariance(subset, shares, 60)
        errors = np.array([estimator.estimate(state, [subset])[0] for state in states]) - shares.table(subset)
        assert (np.abs(errors.mean(axis=0)) <= 4.5 * np.sqrt(np.diag(covariance) / draws)).all()
        products = np.einsum("rc,re->rce", errors, errors)
        spread = products.std(axis=0) / np.sqrt(draws)
        assert (np.abs(products.mean(axis=0) - covariance) <= 4.5 * spread + 1e-12).all()
