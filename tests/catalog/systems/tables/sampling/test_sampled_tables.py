"""Tables by sampling: reports without noise, tables that nobody told, states that no reports add up to, memory."""

import numpy as np
import pytest
from judged_cells import judge_cells
from wording import refused

from mechdesign import InputError, NoAnswerError, Privacy
from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.decoders.tables.subsets import UniformShares
from mechdesign_catalog.randomizers.reports.ragged import Ragged
from mechdesign_catalog.randomizers.reports.reports import Reports, State
from mechdesign_catalog.systems.tables.fourier.inpht import Inpht
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle
from mechdesign_catalog.systems.tables.sampling.all_tables import Margps, Margrr, MargrrSue
from mechdesign_catalog.systems.tables.sampling.marght import Marght
from mechdesign_catalog.testing import OracleLaw

ESTIMATORS = ("raw", "least_squares")
EPSILON = Privacy(epsilon="1.1")
KINDS = {"margps": Margps, "margrr": Margrr, "margrr:sue": MargrrSue}


def people(domains, users, seed=3):
    generator = np.random.default_rng(seed)
    return np.stack([generator.binomial(r - 1, 0.3, users) for r in domains], axis=1).astype(np.int64)


def test_without_noise_each_user_reports_the_own_cell_in_the_own_row():
    oracle = Margps((3, 2, 4), Privacy(epsilon=60), 2)
    values = people(oracle.domains, 500)
    reports = oracle.privatize(values, seeded_words(2))
    drawn, cells = reports.columns["set"], reports.columns["report"].data
    assert set(drawn.tolist()) == {0, 1, 2}
    own = [np.ravel_multi_index(tuple(values[:, pair].T), [oracle.domains[i] for i in pair]) for pair in oracle.sets]
    assert cells.tolist() == np.array(own)[drawn, np.arange(500)].tolist()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_only_tables_that_nobody_told_are_refused(name):
    oracle, counts = Margps((3, 2, 2), EPSILON, 2), np.array([4, 0, 3])
    shares, users, estimator = UniformShares(oracle.domains), counts.astype(float), getattr(oracle, name)
    for subset in ((0, 1), (1, 2), (2,)):
        judge_cells(OracleLaw.of(oracle), estimator, subset, counts.tolist())
    state = State(oracle.parameters, 7, np.array([*counts, *[4, 0, 0, 0, 0, 0], *[0] * 6, *[3, 0, 0, 0]]))
    with refused(NoAnswerError):
        estimator.estimate(state, [(0, 1), (0, 2)])
    with refused(NoAnswerError):
        estimator.variances((0, 2), shares, users)


def test_states_that_no_reports_add_up_to_are_refused():
    oracle = Margps((2, 2), EPSILON, 2)
    for sums in [
        [3, 4, 0, 0, 0],
        [2, 1, 0, 0, 0],
        [3, 1, 0],
    ]:
        with refused(InputError):
            oracle.raw.estimate(State(oracle.parameters, 3, np.array(sums)), [(0, 1)])
    oracle = Margps((2, 2), EPSILON, 1)
    with refused(InputError):
        oracle.raw.estimate(State(oracle.parameters, 3, np.array([3, 0, 1, 2, 0, 1])), [(0,)])


def test_bits_are_those_of_the_number_of_the_set_and_of_the_report():
    assert Margps((2,) * 8, EPSILON, 2).bits == 5 + 2
    assert Margrr((2,) * 8, EPSILON, 2).bits == 5 + 4
    mixed = Margps((3, 2, 2), EPSILON, 2)
    assert (mixed.bits, mixed.mean_bits) == (2 + 3, pytest.approx(2 + 8 / 3))


@pytest.mark.parametrize("kind", ["margps", "margrr", "margrr:sue", "marght"])
def test_more_tables_than_can_be_listed_are_refused(kind):
    with refused(InputError):
        parse_marginal_oracle(f"{kind}:k=32", (2,) * 64, EPSILON)


@pytest.mark.parametrize("kind", KINDS)
def test_tables_that_do_not_fit_the_memory_are_refused(kind):
    oracle = KINDS[kind]((10**5, 10**5, 3), EPSILON, 2)
    empty = Reports(
        oracle.parameters, {"set": np.array([0]), "report": Ragged(np.array([0, 0]), np.zeros(0, np.uint8))}
    )
    for call in (lambda: oracle.privatize(np.array([[1, 2, 0]])), lambda: oracle.aggregate(empty)):
        with refused(InputError):
            call()


def bits_of(d, users, seed=3):
    generator = np.random.default_rng(seed)
    return (generator.random((users, d)) < np.linspace(0.2, 0.7, d)).astype(np.int64)


def test_without_noise_each_user_reports_the_own_sign_in_the_own_row():
    oracle = Marght((2, 2, 2), Privacy(epsilon=60), 2)
    values = bits_of(3, 500)
    reports = oracle.privatize(values, seeded_words(2))
    odd = np.array([[b, a, a ^ b, c, a, a ^ c, c, b, b ^ c] for a, b, c in values])  # last attribute, first, both
    assert reports.columns["bit"].tolist() == odd[np.arange(500), reports.columns["coefficient"]].tolist()


@pytest.mark.parametrize(("d", "way"), [(5, 1), (5, 2), (6, 3)])
def test_with_pooled_coefficients_it_is_as_accurate_as_inpht_with_uniform_draws(d, way):
    """Chances in proportion to how often coefficients are needed, or equal: the variance of a table is the same."""
    domains, subset = (2,) * d, tuple(range(way))
    oracles = Marght(domains, EPSILON, way), Inpht(domains, EPSILON, way, draw="uniform")
    here, there = (
        oracle.least_squares.variances(subset, UniformShares(domains), oracle.planned_users(10**6))
        for oracle in oracles
    )
    assert here == pytest.approx(there, rel=1e-12)


def test_only_tables_that_nobody_told_are_refused_of_marght():
    oracle = Marght((2, 2, 2), EPSILON, 2)
    counts = np.array([2, 1, 3, 1, 2, 0, 1, 0, 2])  # nobody told 1 and 3 together, or 1 in the table of 2 and 3
    users = counts.astype(float)
    for name, subset in [("raw", (0, 1)), ("least_squares", (0, 1)), ("least_squares", (1, 2)), ("raw", (2,))]:
        judge_cells(OracleLaw.of(oracle), getattr(oracle, name), subset, counts.tolist())
    state = State(oracle.parameters, 12, np.concatenate([counts, counts]))
    for name, subset in [
        ("least_squares", (0, 2)),
        ("raw", (0, 2)),
        ("raw", (1, 2)),
    ]:
        with refused(NoAnswerError):
            getattr(oracle, name).estimate(state, [(0, 1), subset])
        with refused(NoAnswerError):
            getattr(oracle, name).least_variances(subset, users)


def test_bad_input_is_refused():
    with refused(InputError, about="attributes"):
        Marght((2, 3), EPSILON, 1)
    with refused(InputError, about="users"):
        Marght((2, 2), EPSILON, 2).planned_users(1)


@pytest.mark.parametrize(
    ("counts", "sums"),
    [
        ([2, 2, 2], [3, 0, 0]),
        ([2, 2, 2], [0, 1, 0]),
        ([2, 2, 1], [0, 0, 1]),
        ([2, 2, -1], [0, 0, 1]),
        ([6, 0], [0]),
    ],
    ids=["too large", "odd", "users", "negative", "length"],
)
def test_states_that_no_reports_add_up_to_are_refused_of_marght(counts, sums):
    oracle = Marght((2, 2), EPSILON, 2)
    with refused(InputError):
        oracle.raw.estimate(State(oracle.parameters, 6, np.array([*counts, *sums])), [(0, 1)])
