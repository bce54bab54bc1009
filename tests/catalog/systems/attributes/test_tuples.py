"""SPL, SMP, RS+FD: draws by the exact law, unbiased, variance, published formulas, merging, bad input.

The statistical tests have fixed seeds. A single one fails right code with a chance of 1e-3 at most (Bonferroni over the
numbers it looks at), all of them together, fewer than 40, with less than 4% over all seeds.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError, NoAnswerError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.tables.subsets import UniformShares
from mechdesign_catalog.systems import Reports, State, make_oracle
from mechdesign_catalog.systems.attributes import RsFd, Smp, Spl, make_tuple_oracle
from mechdesign_catalog.systems.attributes.formulas import derived_variance, printed_variance
from mechdesign_catalog.systems.attributes.smp import mean_reciprocal

HALF = Privacy(alpha="1/2")

CASES = {
    "spl": ("spl", (3, 40), 2, "adp"),
    "smp": ("smp", (3, 40), 2, "adp"),
    "grr": ("rs+fd", (3, 5), 1, "grr"),
    "oue-z": ("rs+fd", (3, 5), 1, "oue-z"),
    "adp": ("rs+fd", (3, 40), 1, "adp"),
    "three": ("rs+fd", (2, 9, 4), "1/2", "adp"),
}
every = pytest.mark.parametrize("case", CASES)


def usual(case):
    name, domains, epsilon, encoding = CASES[case]
    return make_tuple_oracle(name, domains, Privacy(epsilon=epsilon), encoding)


@every
def test_rare_items(case):
    oracle = usual(case)
    for j, k in enumerate(oracle.domains):
        exact = oracle.variance(j, np.zeros(k), 10**6)
        assert exact == pytest.approx(np.full(k, oracle.approximate_variance(j, 10**6)), rel=1e-4)


@pytest.mark.parametrize(("users", "d"), [(1, 2), (2, 3), (7, 1), (40, 9), (300, 2)])
def test_mean_reciprocal_against_the_sum_over_the_law(users, d):
    chance = Fraction(1, d)
    law = [math.comb(users, m) * chance**m * (1 - chance) ** (users - m) for m in range(users + 1)]
    exact = sum(law[m] / m for m in range(1, users + 1)) / (1 - law[0])
    assert mean_reciprocal(users, d) == pytest.approx(float(exact), rel=1e-12)


def test_mean_reciprocal_of_many_users():
    assert mean_reciprocal(10**7, 9) == pytest.approx(9e-7 * (1 + 8e-7), rel=1e-9)


def test_published_estimators_and_variances():
    d, users, epsilon, domains = 3, 500, 0.7, (3, 5, 8)
    boosted = d * math.expm1(epsilon) + 1
    frequencies = np.linspace(0, 1, 5)
    for encoding in ("grr", "oue-z"):
        oracle = RsFd(domains, Privacy(epsilon="0.7"), encoding)
        sums = np.arange(sum(domains)) * 7
        found = oracle.estimate(State(oracle.parameters, users, sums))
        for j, (k, counts) in enumerate(zip(domains, np.split(sums, [3, 8]), strict=True)):
            if encoding == "grr":
                p, q = boosted / (boosted + k - 1), 1 / (boosted + k - 1)
                published = (counts * d * k - users * (d - 1 + q * k)) / (users * k * (p - q))
                gamma = (q + frequencies * (p - q) + (d - 1) / k) / d
            else:
                p, q = 1 / 2, 1 / (boosted + 1)
                published = d * (counts - users * q) / (users * (p - q))
                gamma = (d * q + frequencies * (p - q)) / d
            assert found[j] == pytest.approx(published, rel=1e-7, abs=1e-9)
            variance = d**2 * gamma * (1 - gamma) / (users * (p - q) ** 2)
            own_draw = frequencies * (1 - frequencies) / users
            assert oracle.variance(j, frequencies, users) + own_draw == pytest.approx(variance, rel=1e-7)


def test_adaptive_choice_is_the_smaller_exact_variance():
    chosen = set()
    for k in (2, 3, 4, 6, 10, 20, 40, 60):
        for epsilon in ("0.1", "1", "3"):
            adp, *both = (RsFd((k, 3, 7), Privacy(epsilon=Fraction(epsilon)), kind) for kind in ("adp", "grr", "oue-z"))
            best = min(both, key=lambda oracle: oracle.approximate_variance(0, 1))
            assert adp.encodings[0] == best.encoding
            assert adp.approximate_variance(0, 1) == best.approximate_variance(0, 1)
            chosen.add(best.encoding)
    assert chosen == {"grr", "oue-z"}


@pytest.mark.parametrize("epsilon", ["1/2", "1", "3"])
def test_splitting_and_sampling_choose_by_the_budget_that_an_attribute_gets(epsilon):
    d = 3
    for cls, share in ((Spl, Fraction(epsilon) / d), (Smp, Fraction(epsilon))):
        limit = 3 * math.exp(share) + 2
        below, above = math.floor(limit), math.ceil(limit)
        oracle = cls((2, below, above), Privacy(epsilon=epsilon))
        assert oracle.encodings == ("grr", "grr", "oue")
        assert {inner.privacy for inner in oracle.parts} == {Privacy(epsilon=share)}
        for k in (below, above):
            worse = {"grr": "oue", "oue": "grr"}[oracle.encodings[1 if k == below else 2]]
            other = make_oracle(worse, k, Privacy(epsilon=share)).approximate_variance(1)
            assert oracle.parts[1 if k == below else 2].approximate_variance(1) < other


def test_slides_print_another_denominator():
    """At eps = 1: derived 2.614 and 3.683 for one user, printed 198.7 and 203.7."""
    for name, k, derived, printed in (("grr", 7, 2.6140, 198.688), ("oue", 7, 3.6827, 203.654)):
        oracle = make_oracle(name, k, Privacy(epsilon=1))
        assert derived_variance(name, k, 1, 1) == pytest.approx(oracle.approximate_variance(1), rel=1e-8)
        assert derived_variance(name, k, 1, 1) == pytest.approx(derived, rel=1e-4)
        assert printed_variance(name, k, 1, 1) == pytest.approx(printed, rel=1e-4)
    factor = printed_variance("grr", 7, 1, 50) / derived_variance("grr", 7, 1, 50)
    assert factor == pytest.approx((math.e + 6) ** 2, rel=1e-8)
    factor = printed_variance("oue", 7, 1, 50) / derived_variance("oue", 7, 1, 50)
    assert factor == pytest.approx(4 * (math.e + 1) ** 2, rel=1e-8)


@every
def test_wrong_values_and_foreign_reports_are_refused(case):
    oracle = usual(case)
    d = len(oracle.domains)
    good = np.zeros((3, d), dtype=np.int64)
    bad = good.copy()
    bad[1, 1] = oracle.domains[1]
    with refused(InputError):
        oracle.privatize(bad)
    for wrong in (good[:, :1], good[0], good.astype(float)):
        with refused(InputError):
            oracle.privatize(wrong)
    reports = oracle.privatize(good, seeded_words(1))
    with refused(InputError):
        oracle.aggregate(Reports({**reports.parameters, "privacy": "epsilon=7/3"}, reports.columns))
    first, *others = reports.columns
    with refused(InputError):
        oracle.aggregate(Reports(reports.parameters, {name: reports.columns[name] for name in others}))
    more = {**reports.columns, "more": np.zeros(3)}
    with refused(InputError):
        oracle.aggregate(Reports(reports.parameters, more))
    other = {**reports.columns, first: np.full(3, 99)}
    with refused(InputError):
        oracle.aggregate(Reports(reports.parameters, other))
    empty = oracle.aggregate(oracle.privatize(good[:0]))
    with refused(InputError):
        oracle.estimate(empty)
    with refused(InputError):
        oracle.estimate(State({**empty.parameters, "domains": "2,2"}, 3, empty.sums))


def test_sampled_attributes_must_fit_the_reports():
    oracle = Smp((2, 300), Privacy(epsilon="1/5"))
    reports = oracle.privatize(np.zeros((9, 2), dtype=np.int64), seeded_words(2))
    sampled, packed = reports.columns["attribute"], reports.columns["report"]
    for column in (1 - sampled, sampled + 1):
        with refused(InputError):
            oracle.aggregate(Reports(reports.parameters, {"attribute": column, "report": packed}))
    with refused(InputError):
        oracle.aggregate(Reports(reports.parameters, {"attribute": sampled, "report": sampled}))
    alone = oracle.aggregate(oracle.privatize(np.zeros((1, 2), dtype=np.int64), seeded_words(3)))
    with refused(NoAnswerError):
        oracle.estimate(alone)
    told, without_reports = (1, 0) if oracle.users_of(alone)[1] else (0, 1)
    (shares,) = oracle.least_squares.estimate(alone, [(told,)])
    assert shares.sum() == pytest.approx(1)
    for ask in (
        lambda: oracle.raw.estimate(alone, [(without_reports,)]),
        lambda: oracle.raw.variances((without_reports,), UniformShares((2, 300)), oracle.users_of(alone)),
    ):
        with refused(NoAnswerError):
            ask()


@pytest.mark.parametrize(
    "arguments",
    [
        ("spl", (), HALF),
        ("smp", (3, 1), HALF),
        ("rsfd", (3, 4), 1),
        ("rsfd", (3, 4), HALF, "oue-r"),
        ("rs", (3, 4), HALF),
    ],
)
def test_wrong_parameters_are_refused(arguments):
    with refused(InputError):
        make_tuple_oracle(*arguments)


@pytest.mark.parametrize(("name", "length"), [("SPL", 7), ("SMP", 9), ("RS+FD", 7)])
def test_states_that_no_reports_add_up_to_are_refused(name, length):
    oracle = make_tuple_oracle(name, (3, 4), Privacy(epsilon=1))
    state = oracle.aggregate(oracle.privatize(np.zeros((30, 2), dtype=np.int64), seeded_words(2)))
    assert state.sums.shape == (length,)
    for wrong in (1, 2, 5, length - 1, length + 1, 30):
        with refused(InputError):
            oracle.estimate(State(oracle.parameters, 30, np.ones(wrong, dtype=np.int64)))
    for place, number in ((0, -1), (3, 31)):
        sums = state.sums.copy()
        sums[place] = number
        with refused(InputError):
            oracle.estimate(State(oracle.parameters, 30, sums))
    if name == "SMP":
        sums = state.sums.copy()
        sums[0] += 1
        with refused(InputError):
            oracle.estimate(State(oracle.parameters, 30, sums))


@pytest.mark.parametrize("epsilon", ["1e-8", "1e-17"])
@pytest.mark.parametrize("encoding", ["grr", "oue-z"])
def test_tiny_epsilons_lose_no_digits(epsilon, encoding):
    oracle = RsFd((3, 4), Privacy(epsilon=Fraction(epsilon)), encoding)
    support = oracle.parts[1].support
    exact = float(support.q * (1 - support.q) / (support.p - support.q) ** 2 / 50)
    assert oracle.variance(1, np.zeros(4), 50) == pytest.approx(exact, rel=1e-9)
    state = oracle.aggregate(oracle.privatize(np.zeros((50, 2), dtype=np.int64), seeded_words(3)))
    shares = [float((Fraction(int(s), 50) - support.q) / (support.p - support.q)) for s in state.sums[3:]]
    assert oracle.estimate(state)[1] == pytest.approx(shares, abs=1e-12 * math.sqrt(exact))
