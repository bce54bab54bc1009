"""SUE, OUE and RAPPOR: published formulas, the two steps of RAPPOR, and what reporting again and again reveals."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import make_oracle, oracle_of, true_loss
from mechdesign_catalog.oracles.kinds.unary import Rappor
from mechdesign_catalog.oracles.moments import Moments
from mechdesign_catalog.oracles.probabilities import Support, unary_alpha
from mechdesign_catalog.oracles.reports import Reports


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_published_variances(epsilon: float) -> None:
    root, whole = math.exp(epsilon / 2), math.exp(epsilon)
    assert make_oracle("sue", 9, Privacy(epsilon=epsilon)).approximate_variance(50) == pytest.approx(
        root / (50 * (root - 1) ** 2)
    )
    assert make_oracle("oue", 9, Privacy(epsilon=epsilon)).approximate_variance(50) == pytest.approx(
        4 * whole / (50 * (whole - 1) ** 2)
    )


def test_golden_variances_at_shares() -> None:
    """alpha = 1/3: OUE has p = 1/2, q = 1/4, so ((1-f) 3/16 + f/4) / (n/16) = (3 + f)/n."""
    found = Moments.of(Support(Fraction(1, 2), Fraction(1, 4))).items(np.array([0.0, 0.5, 1.0])) / 10
    assert found == pytest.approx([0.3, 0.35, 0.4])
    oracle = make_oracle("oue", 3, Privacy(epsilon=repr(math.log(3))))
    assert oracle.variance(np.array([0.0, 0.5, 1.0]), 10) == pytest.approx(found, rel=1e-8)


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
    assert true_loss(oracle) == pytest.approx(math.log(0.6875 * 0.4375 / (0.5625 * 0.3125)))
    assert 2 * true_loss(oracle) == pytest.approx(1.0743, abs=5e-5)  # theirs has two hash functions


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


def test_two_steps_of_rappor_are_drawn_by_the_law() -> None:
    oracle = Rappor(3, Privacy(epsilon=3), Fraction(1, 4), Fraction(3, 4))
    draws = 40_000
    words = seeded_words(21)
    reports = oracle.instantaneous(oracle.permanent(np.full(draws, 1), words), words)
    seen = np.bincount(reports.columns["bits"][:, 0], minlength=8)
    law = oracle.report_law()
    expected = np.array([float(law[(report,)][1]) * draws for report in range(8)])
    assert ((seen - expected) ** 2 / expected).sum() <= chi2.ppf(0.999, 7)
    assert oracle.aggregate(reports).users == draws


@pytest.mark.slow
def test_reports_of_kept_bits_average_to_the_kept_bits_and_never_to_the_item() -> None:
    oracle = Rappor(12, Privacy(epsilon=1), Fraction(1, 4), Fraction(3, 4))
    values = np.full(40, 5)
    kept = oracle.permanent(values, seeded_words(22))
    before = kept.copy()
    words = seeded_words(23)
    reports = [oracle.instantaneous(kept, words).columns["bits"] for _ in range(400)]
    mean = np.mean([np.unpackbits(rows, axis=1, count=12, bitorder="little") for rows in reports], axis=0)
    bits = np.unpackbits(kept, axis=1, count=12, bitorder="little")
    assert np.array_equal(kept, before)
    assert np.abs(mean - np.where(bits, 0.75, 0.25)).max() < 4.6 * math.sqrt(3 / 16 / 400)  # 480 means, below 1e-3
    own = (bits == (np.arange(12) == 5)).mean()
    assert own == pytest.approx(float(oracle.permanent_support.p), abs=0.1)  # most items stay hidden
    redrawn = np.mean(
        [np.unpackbits(oracle.privatize(values, words).columns["bits"], axis=1, bitorder="little") for _ in range(400)],
        axis=(0, 1),
    )
    assert redrawn[:12].argmax() == 5  # without memory anybody can read it


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
    with pytest.raises(InputError, match="2 bytes for each user"):
        oracle.instantaneous(kept[:, :1])


def test_options_of_rappor() -> None:
    oracle = make_oracle("rappor", 9, Privacy(epsilon=1), p=0.25, q="3/4")
    assert oracle.parameters == {"oracle": "rappor", "k": 9, "privacy": "epsilon=1", "p": "1/4", "q": "3/4"}
    assert oracle_of(oracle.parameters) == oracle
    plain = make_oracle("rappor", 9, Privacy(epsilon=1))
    assert plain.parameters["p"] == "0"
    assert plain == make_oracle("rappor", 9, Privacy(epsilon=1), p=0, q=1) == oracle_of(plain.parameters)
    for given in ({"p": "1/4"}, {"q": "3/4"}):
        with pytest.raises(InputError, match="rappor must have both p and q or neither, got p="):
            make_oracle("rappor", 9, Privacy(epsilon=1), **given)
    for p, q in (("3/4", "1/4"), ("1/2", "1/2"), ("-1/4", "1/2"), ("1/2", "5/4")):
        with pytest.raises(
            InputError, match=r"rappor must have 0 <= p < q <= 1 \(q is for a permanent bit 1\), got p="
        ):
            make_oracle("rappor", 9, Privacy(epsilon=1), p=p, q=q)
    with pytest.raises(InputError, match="it has no options"):
        make_oracle("sue", 9, Privacy(epsilon=1), p="1/4")


def test_reports_outside_the_space_are_refused() -> None:
    oracle = make_oracle("oue", 11, Privacy(epsilon=1))
    rows = oracle.privatize(np.arange(5), seeded_words(25)).columns["bits"].copy()
    rows[2, 1] |= 0x80
    with pytest.raises(InputError, match="column bits must have no bit beyond bit 10, got one in row 3"):
        oracle.aggregate(Reports(oracle.parameters, {"bits": rows}))
    with pytest.raises(InputError, match="2 bytes for each user"):
        oracle.aggregate(Reports(oracle.parameters, {"bits": rows[:, :1]}))
