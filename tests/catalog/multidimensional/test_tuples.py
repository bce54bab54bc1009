"""SPL, SMP, RS+FD: draws by the exact law, unbiased, variance, published formulas, merging, bad input.

The statistical tests have fixed seeds. A single one fails right code with a chance of 1e-3 at most (Bonferroni over the
numbers it looks at), all of them together, fewer than 40, with less than 4% over all seeds.
"""

import itertools
import math
import os
from collections import Counter
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import chi2

from mechdesign import InputError, NoAnswerError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.multidimensional import RsFd, Smp, Spl, make_tuple_oracle
from mechdesign_catalog.multidimensional.formulas import derived_variance, printed_variance
from mechdesign_catalog.multidimensional.smp import mean_reciprocal
from mechdesign_catalog.multidimensional.tables import UniformShares
from mechdesign_catalog.oracles import Reports, State, make_oracle, merged
from mechdesign_catalog.oracles.ragged import Ragged

FAMILY = 1e-3
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


def bound(count):
    return NormalDist().inv_cdf(1 - FAMILY / (2 * count))


def rows(reports: Reports):
    """Reports as the keys of a law."""
    cells = [
        [tuple(column[row : row + 1].data.tolist()) for row in range(len(column))]
        if isinstance(column, Ragged)
        else [tuple(int(cell) for cell in np.ravel(row)) for row in column]
        for column in reports.columns.values()
    ]
    return [sum(row, ()) for row in zip(*cells, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "domains", "epsilon", "encoding"),
    [("spl", (2, 3), 1, "adp"), ("smp", (3, 11), 1, "adp"), ("smp", (2, 3), 1, "adp"), ("spl", (2, 9), 1, "adp")]
    + [("rs+fd", (2, 3), 1, kind) for kind in ("grr", "oue-z")]
    + [("rs+fd", (2, 4), "9/4", "adp")],
)
def test_reports_are_drawn_by_the_law(name, domains, epsilon, encoding):
    oracle = make_tuple_oracle(name, domains, Privacy(epsilon=epsilon), encoding)
    law, draws = oracle.report_law(), 20_000
    tuples = list(itertools.product(*map(range, domains)))
    for place in (0, len(tuples) - 1):
        found = Counter(rows(oracle.privatize(np.tile(tuples[place], (draws, 1)), seeded_words([5, place]))))
        assert set(found) <= set(law)
        expected = {report: float(chances[place]) * draws for report, chances in law.items()}
        cells = [(found[report], mean) for report, mean in expected.items() if mean >= 5]
        cells.append((draws - sum(seen for seen, _ in cells), draws - sum(mean for _, mean in cells)))
        cells = [(seen, mean) for seen, mean in cells if mean > 1e-6]
        statistic = sum((seen - mean) ** 2 / mean for seen, mean in cells)
        assert statistic <= chi2.ppf(1 - FAMILY / 2, len(cells) - 1)


def estimates(oracle, values, repetitions, seed):
    """`found[j]` has the estimates of attribute j, shape (repetitions, k_j)."""
    users = len(values)
    reports = oracle.privatize(np.tile(values, (repetitions, 1)), seeded_words(seed))
    parts = (reports[r * users : (r + 1) * users] for r in range(repetitions))
    found = [oracle.estimate(oracle.aggregate(part)) for part in parts]
    return [np.array(column) for column in zip(*found, strict=True)]


@pytest.mark.slow
@every
def test_unbiased_and_of_the_stated_variance(case):
    oracle = usual(case)
    d, users, repetitions = len(oracle.domains), 60, 2000
    ones = np.arange(users)[:, None] % np.arange(2, 2 + d) == 0  # attributes depend on each other, of unequal shares
    values = np.where(ones, 0, np.array(oracle.domains) - 1)
    found = estimates(oracle, values, repetitions, 31)
    for j, k in enumerate(oracle.domains):
        truth = np.bincount(values[:, j], minlength=k) / users
        formula = oracle.variance(j, truth, users)
        error = np.sqrt(formula / repetitions)
        assert (np.abs(found[j].mean(axis=0) - truth) <= bound(k) * error).all()
        squares = (found[j] - truth) ** 2
        for items in (np.array([0]), np.array([k - 1]), np.arange(1, k - 1)):
            if len(items):
                pooled = squares[:, items].mean(axis=1)
                spread = pooled.std(ddof=1) / math.sqrt(repetitions)
                assert abs(pooled.mean() - formula[items].mean()) <= 4 * spread, (j, items)


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


def test_smp_variance_by_every_outcome():
    """Three users, two attributes: all draws of attributes and all reports, in rationals."""
    oracle = Smp((2, 3), Privacy(epsilon=1))
    support = oracle.parts[0].support
    values, users = (0, 0, 1), 3
    first = second = mass = Fraction(0)
    for sampled in itertools.product((True, False), repeat=users):
        told = [value for value, chosen in zip(values, sampled, strict=True) if chosen]
        for items in itertools.product((0, 1), repeat=len(told)):
            chance = Fraction(1, 2**users)
            for item, value in zip(items, told, strict=True):
                chance *= support.p if item == value else support.q
            if told:
                estimate = (Fraction(items.count(0), len(told)) - support.q) / (support.p - support.q)
                first, second, mass = first + chance * estimate, second + chance * estimate**2, mass + chance
    assert first / mass == Fraction(2, 3)
    assert oracle.variance(0, np.array([2 / 3, 1 / 3]), users)[0] == pytest.approx(
        float(second / mass - (first / mass) ** 2), rel=1e-12
    )
    assert oracle.variance(0, np.array([1.0, 0.0]), 1)[0] == pytest.approx(oracle.parts[0].variance(1.0, 1))


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


@pytest.mark.slow
def test_variance_over_users_drawn_at_random():
    oracle, users, repetitions, share = RsFd((2, 3), Privacy(epsilon=3), "grr"), 40, 4000, 0.5
    generator = np.random.default_rng(3)
    values = generator.integers(0, 2, size=(users * repetitions, 2))
    reports = oracle.privatize(values, seeded_words(9))
    found = np.array(
        [
            oracle.estimate(oracle.aggregate(reports[r * users : (r + 1) * users]))[0][0] - share
            for r in range(repetitions)
        ]
    )
    spread = (found**2).std(ddof=1) / math.sqrt(repetitions)
    population = oracle.variance(0, share, users) + share * (1 - share) / users
    assert abs((found**2).mean() - population) <= 4 * spread
    assert population - oracle.variance(0, share, users) > 4 * spread  # the test tells them apart


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
def test_parts_merge_to_the_whole_and_states_round_trip(case, tmp_path):
    oracle = usual(case)
    values = np.arange(301)[:, None] % np.array(oracle.domains)
    reports = oracle.privatize(values, seeded_words(41))
    assert len(reports) == 301
    whole = oracle.aggregate(reports)
    parts = [oracle.aggregate(reports[a:b]) for a, b in ((0, 100), (100, 100), (100, 301))]
    assert [part.users for part in parts] == [100, 0, 201]
    for order in (parts, parts[::-1]):
        state = merged(order)
        assert state.users == 301
        assert np.array_equal(state.sums, whole.sums)
    assert [len(part) for part in oracle.estimate(whole)] == list(oracle.domains)


@every
def test_wrong_values_and_foreign_reports_are_refused(case):
    oracle = usual(case)
    d = len(oracle.domains)
    good = np.zeros((3, d), dtype=np.int64)
    bad = good.copy()
    bad[1, 1] = oracle.domains[1]
    with pytest.raises(InputError, match=rf"attribute 2 must be in 0..{bad[1, 1] - 1}, got another in row 2$"):
        oracle.privatize(bad)
    for wrong in (good[:, :1], good[0], good.astype(float)):
        with pytest.raises(InputError, match=f"whole numbers in {d} columns"):
            oracle.privatize(wrong)
    reports = oracle.privatize(good, seeded_words(1))
    with pytest.raises(InputError, match="got privacy=epsilon=7/3"):
        oracle.aggregate(Reports({**reports.parameters, "privacy": "epsilon=7/3"}, reports.columns))
    first, *others = reports.columns
    with pytest.raises(InputError, match=rf"of .* must have the columns .*{first}"):
        oracle.aggregate(Reports(reports.parameters, {name: reports.columns[name] for name in others}))
    more = {**reports.columns, "more": np.zeros(3)}
    with pytest.raises(InputError, match=r"must have the columns .*, got .*, more$"):
        oracle.aggregate(Reports(reports.parameters, more))
    other = {**reports.columns, first: np.full(3, 99)}
    with pytest.raises(InputError, match=r"of attribute 1$|(item_1|attribute) in 0\.\.|column bits_1 must have"):
        oracle.aggregate(Reports(reports.parameters, other))
    empty = oracle.aggregate(oracle.privatize(good[:0]))
    with pytest.raises(InputError, match="at least one user"):
        oracle.estimate(empty)
    with pytest.raises(InputError, match="same parameters"):
        oracle.estimate(State({**empty.parameters, "domains": "2,2"}, 3, empty.sums))


def test_sampled_attributes_must_fit_the_reports():
    oracle = Smp((2, 300), Privacy(epsilon="1/5"))
    reports = oracle.privatize(np.zeros((9, 2), dtype=np.int64), seeded_words(2))
    sampled, packed = reports.columns["attribute"], reports.columns["report"]
    for column, message in ((1 - sampled, "reports must have"), (sampled + 1, r"attribute in 0\.\.1, got 2")):
        with pytest.raises(InputError, match=message):
            oracle.aggregate(Reports(reports.parameters, {"attribute": column, "report": packed}))
    with pytest.raises(InputError, match="byte strings as report"):
        oracle.aggregate(Reports(reports.parameters, {"attribute": sampled, "report": sampled}))
    alone = oracle.aggregate(oracle.privatize(np.zeros((1, 2), dtype=np.int64), seeded_words(3)))
    with pytest.raises(NoAnswerError, match=r"got none for attribute . of 2 from 1; collect more reports"):
        oracle.estimate(alone)
    told, untold = (1, 0) if oracle.users_of(alone)[1] else (0, 1)
    (shares,) = oracle.least_squares.estimate(alone, [(told,)])
    assert shares.sum() == pytest.approx(1)
    for ask in (
        lambda: oracle.raw.estimate(alone, [(untold,)]),
        lambda: oracle.raw.variances((untold,), UniformShares((2, 300)), oracle.users_of(alone)),
    ):
        with pytest.raises(NoAnswerError, match=f"got none for attribute {untold + 1} of 2 from 1"):
            ask()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("spl", (), HALF), "at least one attribute"),
        (("smp", (3, 1), HALF), "from 2 to 2\\^40, got 1 for attribute 2"),
        (("rsfd", (3, 4), 1), "privacy must be Privacy\\(alpha=...\\) or Privacy\\(epsilon=...\\), got 1"),
        (("rsfd", (3, 4), HALF, "oue-r"), "encoding must be one of grr, oue-z, adp, got oue-r"),
        (("rs", (3, 4), HALF), "must be one of SPL, SMP, RS\\+FD, got rs"),
    ],
)
def test_wrong_parameters_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        make_tuple_oracle(*arguments)


@every
def test_operating_system_randomness_is_the_default(case, monkeypatch):
    asked = []
    truly_random = os.urandom
    monkeypatch.setattr("os.urandom", lambda count: asked.append(count) or truly_random(count))
    usual(case).privatize(np.zeros((20, len(usual(case).domains)), dtype=np.int64))
    assert sum(asked) >= 1


def test_bits():
    assert RsFd((3, 5), Privacy(epsilon=1), "grr").bits == 2 + 3
    assert RsFd((3, 5), Privacy(epsilon=1), "oue-z").bits == 8
    assert Spl((3, 40), Privacy(epsilon=1)).bits == 2 + 40
    assert Smp((3, 40), Privacy(epsilon=1)).bits == 1 + 40
    assert Smp((3, 40), Privacy(epsilon=1)).mean_bits == 1 + 21
    assert Spl((3, 40), Privacy(epsilon=1)).mean_bits == 2 + 40


@pytest.mark.parametrize(("name", "length"), [("SPL", 7), ("SMP", 9), ("RS+FD", 7)])
def test_states_that_no_reports_add_up_to_are_refused(name, length):
    oracle = make_tuple_oracle(name, (3, 4), Privacy(epsilon=1))
    state = oracle.aggregate(oracle.privatize(np.zeros((30, 2), dtype=np.int64), seeded_words(2)))
    assert state.sums.shape == (length,)
    for wrong in (1, 2, 5, length - 1, length + 1, 30):
        with pytest.raises(InputError, match=f"a state must have {length} sums, got shape \\({wrong},\\)"):
            oracle.estimate(State(oracle.parameters, 30, np.ones(wrong, dtype=np.int64)))
    for place, number in ((0, -1), (3, 31)):
        sums = state.sums.copy()
        sums[place] = number
        with pytest.raises(InputError, match=rf"counts in 0\.\.30, got {number} in place {place + 1}"):
            oracle.estimate(State(oracle.parameters, 30, sums))
    if name == "SMP":
        sums = state.sums.copy()
        sums[0] += 1
        with pytest.raises(InputError, match="each of 30 users in one attribute, got 31"):
            oracle.estimate(State(oracle.parameters, 30, sums))


@pytest.mark.parametrize("epsilon", ["1e-8", "1e-12", "1e-17"])
@pytest.mark.parametrize("encoding", ["grr", "oue-z"])
def test_tiny_epsilons_lose_no_digits(epsilon, encoding):
    oracle = RsFd((3, 4), Privacy(epsilon=Fraction(epsilon)), encoding)
    support = oracle.parts[1].support
    exact = float(support.q * (1 - support.q) / (support.p - support.q) ** 2 / 50)
    assert oracle.variance(1, np.zeros(4), 50) == pytest.approx(exact, rel=1e-9)
    state = oracle.aggregate(oracle.privatize(np.zeros((50, 2), dtype=np.int64), seeded_words(3)))
    shares = [float((Fraction(int(s), 50) - support.q) / (support.p - support.q)) for s in state.sums[3:]]
    assert oracle.estimate(state)[1] == pytest.approx(shares, abs=1e-12 * math.sqrt(exact))
