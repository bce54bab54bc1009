"""Reports, and sums that are drawn at once, of every system: frequencies and moments are those of the exact law.

The seeds are fixed. A test fails a right system with a chance of 1e-3 at most (Bonferroni over what it looks at).
"""

import math
from collections import Counter
from statistics import NormalDist

import numpy as np
import pytest
from oracle_cases import CASES, Case
from scipy.stats import chi2
from system_oracles import ATTRIBUTES, oracle_of
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.workloads.queries import LinearQueries
from mechdesign_catalog.decoders.tables.subsets import PeopleShares, subsets_of
from mechdesign_catalog.randomizers.mixture import Mixture
from mechdesign_catalog.randomizers.oracle import HasPublicSeed
from mechdesign_catalog.randomizers.reports.ragged import Ragged
from mechdesign_catalog.systems import Reports

FAMILY, DRAWS = 1e-3, 2000
SMALL = {
    **{case.label: case.small for case in CASES},
    **{text: lambda text=text: oracle_of(text) for text in ATTRIBUTES},
}


def rows(reports: Reports) -> list[tuple[int, ...]]:
    """Reports as the keys of a law: columns in their order, packed bytes one by one."""
    columns = [
        [column[row : row + 1].data.tolist() for row in range(len(reports))]
        if isinstance(column, Ragged)
        else column.reshape(len(reports), -1).tolist()
        for column in reports.columns.values()
    ]
    return [tuple(cell for cells in row for cell in cells) for row in zip(*columns, strict=True)]


def assert_standard(errors: np.ndarray) -> None:
    """Errors over their standard errors, shape (repetitions, numbers), have the mean 0 and the mean square 1."""
    limit = NormalDist().inv_cdf(1 - FAMILY / (4 * errors.shape[1])) / math.sqrt(len(errors))
    assert (np.abs(errors.mean(axis=0)) <= limit).all()
    assert (np.abs((errors**2).mean(axis=0) - 1) <= limit * (errors**2).std(axis=0)).all()


@pytest.mark.slow
@pytest.mark.parametrize("label", SMALL)
def test_reports_are_drawn_by_the_law(label: str) -> None:
    oracle = SMALL[label]()
    law, inputs = oracle.report_law(), list(np.ndindex(*getattr(oracle, "domains", (getattr(oracle, "k", 0),))))
    for place in {0, 1, len(inputs) - 1}:
        value = inputs[place] if hasattr(oracle, "domains") else inputs[place][0]
        found = Counter(rows(oracle.privatize(np.array([value] * DRAWS), seeded_words([11, place]))))
        expected = {report: float(chances[place]) * DRAWS for report, chances in law.items() if chances[place]}
        assert set(found) <= set(expected)
        rare = sum(mean for mean in expected.values() if mean < 5)  # pooled: chi-square needs some of each
        few = sum(found[report] for report, mean in expected.items() if mean < 5)
        cells = [(found[report], mean) for report, mean in expected.items() if mean >= 5]
        cells += [(few, rare)] if rare >= 5 else []
        statistic = sum((seen - mean) ** 2 / mean for seen, mean in cells)
        assert statistic <= chi2.ppf(1 - FAMILY / 3, max(1, len(cells) - (rare < 5 or few == 0)))


@pytest.mark.parametrize("label", SMALL)
def test_the_operating_system_draws_unless_words_are_given(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it: the same bytes of the system make the same reports."""
    oracle, asked = SMALL[label](), []
    value = [0] * len(oracle.domains) if hasattr(oracle, "domains") else 0

    def drawn() -> list[tuple[int, ...]]:
        stream = np.random.default_rng(1)
        monkeypatch.setattr("os.urandom", lambda count: asked.append(count) or stream.bytes(count))
        return rows(oracle.privatize(np.array([value] * 300)))

    assert drawn() == drawn()
    assert sum(asked) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_sums_drawn_at_once_have_the_stated_means_variances_and_covariances(case: Case) -> None:
    """Of items and of pairs of them, by their variances, which are those of all reports by `check_oracle`."""
    oracle = case.usual()
    if not oracle.can_simulate_sums:
        with refused(InputError):
            oracle.simulate_sums(np.ones(oracle.k, dtype=np.int64), np.random.default_rng(61))
        return
    counts = np.zeros(oracle.k, dtype=np.int64)
    counts[:2] = (120, 80)
    items, few = np.eye(oracle.k), min(oracle.k, 4)
    queries = LinearQueries(np.vstack([items, *(items[i] + items[j] for i in range(few) for j in range(i))]))
    generator, variances, errors = np.random.default_rng(81), {}, []
    for _ in range(60 if isinstance(oracle, Mixture) else 300):
        state = oracle.simulate_sums(counts, generator)
        users = oracle.users_of(state)
        if str(users) not in variances:
            variances[str(users)] = oracle.answer_variance(queries, counts / 200, users)
        error = oracle.answers(state, queries) - queries.apply(counts / 200)
        errors.append(error / np.sqrt(np.maximum(variances[str(users)], 1e-12)))
    assert_standard(np.array(errors)[:, np.min(list(variances.values()), axis=0) > 1e-12])  # some never change


@pytest.mark.slow
@pytest.mark.parametrize("text", [text for text in ATTRIBUTES if not isinstance(oracle_of(text), HasPublicSeed)])
def test_drawn_sums_of_tables_have_the_stated_means_and_variances(text: str) -> None:
    """`check_oracle` has the variances; of a sketch they are over redrawn hashes, which its own tests draw."""
    oracle, generator = oracle_of(text), np.random.default_rng(7)
    people = generator.integers(0, oracle.domains, (1000, len(oracle.domains)))
    people[:500] = people[0]
    shares, subset, errors = PeopleShares(oracle.domains, people), subsets_of(len(oracle.domains), oracle.way)[-1], []
    for _ in range(150):
        state = oracle.simulate_sums(people, generator)
        (table,) = oracle.raw.estimate(state, [subset])
        variances = oracle.raw.variances(subset, shares, oracle.users_of(state))
        errors.append((table - shares.table(subset)) / np.sqrt(variances))
    assert_standard(np.array(errors))
