"""SUE, OUE, RAPPOR and Hadamard response: published formulas, RAPPOR's two steps, and what many reports reveal."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.linalg import hadamard
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.kernels.hashing import LinearHashes
from mechdesign_catalog.randomizers.kernels.walsh import parity, walsh_hadamard
from mechdesign_catalog.randomizers.reports.probabilities import Support, unary_alpha
from mechdesign_catalog.systems import actual_epsilon, make_oracle, oracle_of
from mechdesign_catalog.systems.flat.hadamard import best_t
from mechdesign_catalog.systems.flat.unary import Rappor


def test_published_variances() -> None:
    for epsilon in [0.5, 1.0, 4.0]:
        root, whole = math.exp(epsilon / 2), math.exp(epsilon)
        assert make_oracle("sue", 9, Privacy(epsilon=epsilon)).approximate_variance(50) == pytest.approx(
            root / (50 * (root - 1) ** 2)
        )
        assert make_oracle("oue", 9, Privacy(epsilon=epsilon)).approximate_variance(50) == pytest.approx(
            4 * whole / (50 * (whole - 1) ** 2)
        )


def test_oue_has_the_least_variance_of_all_unary_encodings_with_its_loss() -> None:
    alpha = Privacy(epsilon=1).alpha
    best = make_oracle("oue", 5, Privacy(epsilon=1))
    assert best.alpha == alpha
    for tenths in range(1, 20):
        p = Fraction(tenths, 20)
        odds = alpha * p / (1 - p)  # of q, from q (1-p) = alpha p (1-q)
        other = Support(p, odds / (1 + odds))
        assert unary_alpha(other) == alpha
        assert other.approximate_variance(100) >= best.approximate_variance(100) * (1 - 1e-12)


def test_rappor_alone_is_sue() -> None:
    rappor, sue = make_oracle("rappor", 7, Privacy(epsilon=2)), make_oracle("sue", 7, Privacy(epsilon=2))
    assert (rappor.support, rappor.alpha) == (sue.support, sue.alpha)
    assert rappor.report_law() == sue.report_law()
    f = 2 / (1 + math.exp(1))
    assert float(rappor.support.p) == pytest.approx(1 - f / 2, rel=1e-8)
    values = np.arange(50) % 7
    same = [oracle.privatize(values, seeded_words(3)).columns["bits"] for oracle in (rappor, sue)]
    assert np.array_equal(*same)


def test_published_losses_of_rappor() -> None:
    """f = 1/2, p = 1/2, q = 3/4 (Erlingsson et al. 2014, for one hash function): 2 ln 3 for ever, 0.5372 for one."""
    oracle = Rappor(4, Privacy(epsilon=Fraction(repr(2 * math.log(3)))), Fraction(1, 2), Fraction(3, 4))
    assert -math.log(oracle.permanent_alpha) == pytest.approx(2 * math.log(3), abs=1e-8)
    assert float(oracle.support.p) == pytest.approx(0.6875)
    assert float(oracle.support.q) == pytest.approx(0.5625)
    assert actual_epsilon(oracle) == pytest.approx(math.log(0.6875 * 0.4375 / (0.5625 * 0.3125)))
    assert 2 * actual_epsilon(oracle) == pytest.approx(1.0743, abs=5e-5)  # theirs has two hash functions


def test_law_of_rappor_is_that_of_one_step_after_the_other() -> None:
    """Every permanent row, then every report of it: the definition, bit by bit."""
    oracle = Rappor(3, Privacy(epsilon=2), Fraction(1, 5), Fraction(2, 3))
    kept = oracle.permanent_support.p
    flipped = 1 - kept
    law = oracle.report_law()
    for item in range(3):
        found: Counter[tuple[int, ...]] = Counter()
        for permanent, report in product(product((0, 1), repeat=3), repeat=2):
            chance = Fraction(1)
            for v in range(3):
                chance *= kept if permanent[v] == (v == item) else flipped
                one = Fraction(2, 3) if permanent[v] else Fraction(1, 5)
                chance *= one if report[v] else 1 - one
            found[(sum(bit << v for v, bit in enumerate(report)),)] += chance
        assert found == {report: chances[item] for report, chances in law.items()}


def test_loss_of_many_reports_stays_below_the_claim_and_grows_to_it() -> None:
    """Given a permanent bit, reports are independent: of t reports only the number of ones tells anything."""
    oracle = Rappor(2, Privacy(epsilon=1), Fraction(1, 4), Fraction(3, 4))
    keep = oracle.permanent_support.p

    def tightest(reports: int) -> Fraction:
        ratios = []
        for ones in range(reports + 1):
            high = Fraction(3) ** ones  # times 4^-reports: 1 with 3/4
            low = Fraction(3) ** (reports - ones)
            ratios.append((keep * low + (1 - keep) * high) / (keep * high + (1 - keep) * low))
        return min(ratios) ** 2  # one bit speaks for the one item, another for the other

    found = [tightest(reports) for reports in (1, 2, 5, 30)]
    assert found[0] == oracle.alpha
    assert found == sorted(found, reverse=True)
    assert oracle.permanent_alpha < found[-1] < oracle.permanent_alpha * (1 + Fraction(1, 1000))
    assert found[1] > found[0] ** 2  # two reports lose less than twice what one does


def test_without_second_step_reports_are_the_kept_bits() -> None:
    oracle = make_oracle("rappor", 9, Privacy(epsilon=1))
    kept = oracle.permanent(np.arange(9), seeded_words(24))
    assert np.array_equal(oracle.instantaneous(kept).columns["bits"], kept)
    with refused(InputError):
        oracle.instantaneous(kept[:, :1])


def test_options_of_rappor() -> None:
    oracle = make_oracle("rappor", 9, Privacy(epsilon=1), p=0.25, q="3/4")
    assert oracle.parameters == {"oracle": "rappor", "k": 9, "privacy": "epsilon=1", "p": "1/4", "q": "3/4"}
    assert oracle_of(oracle.parameters) == oracle
    plain = make_oracle("rappor", 9, Privacy(epsilon=1))
    assert plain.parameters["p"] == "0"
    assert plain == make_oracle("rappor", 9, Privacy(epsilon=1), p=0, q=1) == oracle_of(plain.parameters)
    for given in ({"p": "1/4"}, {"q": "3/4"}):
        with refused(InputError, about="rappor"):
            make_oracle("rappor", 9, Privacy(epsilon=1), **given)
    for p, q in (("3/4", "1/4"), ("1/2", "1/2"), ("-1/4", "1/2"), ("1/2", "5/4")):
        with refused(InputError, about="rappor"):
            make_oracle("rappor", 9, Privacy(epsilon=1), p=p, q=q)
    with refused(InputError):
        make_oracle("sue", 9, Privacy(epsilon=1), p="1/4")


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("tile_bits", [1, 2, 3, 18])
def test_transform_is_the_matrix_of_sylvester(kind, tile_bits, monkeypatch) -> None:
    monkeypatch.setattr("mechdesign_catalog.randomizers.kernels.walsh.TILE_BITS", tile_bits)
    for bits in range(10):
        values = np.random.default_rng(bits).integers(-100, 100, 1 << bits).astype(kind)
        found = values.copy()
        walsh_hadamard(found)
        assert found.dtype == kind
        assert np.array_equal(found, hadamard(1 << bits, dtype=np.int64) @ values)
        walsh_hadamard(found)
        assert np.array_equal(found, values << bits)  # its own inverse, but for the scale


def test_parity_is_the_sum_of_binary_places_modulo_two() -> None:
    numbers = np.array([0, 1, 2, 3, 7, 255, 2**63, 2**64 - 1], dtype=np.uint64)
    assert parity(numbers).tolist() == [0, 1, 1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("t", [1, 2, 3])
@pytest.mark.parametrize("k", [2, 5, 16, 37])
def test_supports_are_the_items_with_all_the_bits(k: int, t: int) -> None:
    oracle = make_oracle("hrr", k, Privacy(epsilon=1), t=t)
    reports = oracle.privatize(np.arange(200) % k, seeded_words([k, t]))
    words = reports.columns["coefficients"].astype(int).tolist()
    expected = [0] * k
    for own, bits in zip(words, reports.columns["bucket"].tolist(), strict=True):
        for item in range(k):
            expected[item] += all((c & item).bit_count() % 2 == bits >> i & 1 for i, c in enumerate(own))
    state = oracle.aggregate(reports)
    assert oracle.supports(state).tolist() == expected
    share = (np.array(expected) / 200 - 2.0**-t) / (float(oracle.support.p) - 2.0**-t)
    assert oracle.estimate(state) == pytest.approx(share)


def test_sums_that_do_not_fit_32_bits_are_exact() -> None:
    family = LinearHashes(8, 1, 2)
    supports = np.array([3, 2**40, 2**33 + 1, 0, 7, 1, 2, 5])
    spectrum = supports.copy()
    walsh_hadamard(spectrum)  # times 8, while a spectrum is times 2
    assert family.supports_of(spectrum).tolist() == (4 * supports).tolist()
    edge = np.array([2**30, 2**30] + [0] * 6)  # their sum is 2^31, one too many for 32 bits
    assert family.supports_of(edge)[0] == 2**30


def test_published_variances_of_hadamard() -> None:
    """`((e^eps + 1)/(e^eps - 1))^2` with one coefficient; with two at e^eps = 3 that of OLH, the optimum."""
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        ratio = (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)
        assert make_oracle("hrr", 9, Privacy(epsilon=epsilon)).approximate_variance(100) == pytest.approx(
            ratio**2 / 100, rel=1e-8
        )
    assert make_oracle("hrr", 9, Privacy(epsilon="1.0986122886681096"), t=2).approximate_variance(1) == pytest.approx(
        3, rel=1e-8
    )


def test_best_number_of_coefficients() -> None:
    for t, root in ((1, 3), (2, 21), (3, 105)):  # t and t + 1 are equally good where e^(2 eps) = (2^t - 1)(2^(t+1) - 1)
        tie = math.log(root) / 2
        assert best_t(Privacy(epsilon=tie - 0.01)) == t
        assert best_t(Privacy(epsilon=tie + 0.01)) == t + 1
