"""What mechanisms for tuples lose: formulas against every report, and against known values."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.reports.probabilities import amplified
from mechdesign_catalog.systems.attributes import (
    RsFd,
    Smp,
    Spl,
    TupleOracle,
    advice,
    enumerated_alpha,
    loss_rows,
    losses,
    make_tuple_oracle,
)

KINDS = [("spl", "adp"), ("smp", "adp"), ("rs+fd", "grr"), ("rs+fd", "oue-z"), ("rs+fd", "adp")]
every = pytest.mark.parametrize(("name", "encoding"), KINDS)

small_domains = st.lists(st.integers(2, 4), min_size=1, max_size=3).filter(lambda ks: sum(ks) <= 8)
epsilons = st.fractions(Fraction(1, 100), 6, max_denominator=100)


def subsets(d: int) -> list[tuple[int, ...]]:
    return [chosen for size in range(1, d + 1) for chosen in itertools.combinations(range(d), size)]


@pytest.mark.slow
@every
@settings(max_examples=12)
@given(domains=small_domains, epsilon=epsilons)
def test_formula_is_what_every_report_shows(name, encoding, domains, epsilon):
    oracle = make_tuple_oracle(name, domains, Privacy(epsilon=epsilon), encoding)
    law = oracle.report_law()
    assert all(sum(column) == 1 for column in zip(*law.values(), strict=True))
    for changed in subsets(len(domains)):
        assert enumerated_alpha(law, oracle.domains, changed) == oracle.changed_alpha(changed)


@pytest.mark.slow
@settings(max_examples=15)
@given(domains=st.lists(st.integers(2, 4), min_size=2, max_size=3), epsilon=st.floats(0.05, 5))
def test_grr_losses_by_the_definition_alone(domains, epsilon):
    """An independent enumeration, in floats: p and q written out, every pair of tuples, every output."""
    d = len(domains)
    boosted = d * (math.exp(epsilon) - 1) + 1
    tuples = list(itertools.product(*map(range, domains)))

    def chance(y, x):
        total = 0.0
        for j, k in enumerate(domains):
            real = (boosted if y[j] == x[j] else 1) / (boosted + k - 1)
            total += real * math.prod(1 / domains[i] for i in range(d) if i != j) / d
        return total

    law = {x: np.array([chance(y, x) for y in tuples]) for x in tuples}
    one = whole = 0.0
    for x, z in itertools.product(tuples, tuples):
        ratio = math.log((law[x] / law[z]).max())
        whole = max(whole, ratio)
        if sum(a != b for a, b in zip(x, z, strict=True)) == 1:
            one = max(one, ratio)
    found = losses(RsFd(tuple(domains), Privacy(epsilon=Fraction(repr(epsilon))), "grr"))
    assert found.one_attribute == pytest.approx(one, abs=1e-6)
    assert found.whole_tuple == pytest.approx(whole, abs=1e-6)
    assert whole == pytest.approx(math.log(boosted), abs=1e-9)


def test_the_published_counterexamples():
    first = losses(RsFd((3, 4), Privacy(epsilon=1), "grr"))
    assert (round(first.one_attribute, 3), first.outputs) == (1.044, 12)
    assert first.whole_tuple == pytest.approx(math.log(2 * (math.e - 1) + 1), abs=1e-8)
    second = losses(RsFd((2, 3, 2), Privacy(epsilon=Fraction(repr(math.log(3)))), "grr"))
    assert round(second.one_attribute, 3) == 1.224
    assert second.whole_tuple == pytest.approx(math.log(7), abs=1e-8)
    for found in (first, second):
        assert not found.one_attribute_holds
        assert not found.whole_tuple_holds


def test_both_encodings_in_one_tuple():
    """ADP where it takes OUE-z for the first attribute and GRR for the second: it exceeds the claim through GRR."""
    oracle = RsFd((2, 4), Privacy(epsilon=Fraction(9, 4)))
    law = oracle.report_law()
    assert oracle.encodings == ("oue-z", "grr")
    for changed in subsets(2):
        assert enumerated_alpha(law, oracle.domains, changed) == oracle.changed_alpha(changed)
    assert losses(oracle).outputs == len(law) == 4 * 4
    assert not losses(oracle).one_attribute_holds


@pytest.mark.slow
@settings(max_examples=30)
@given(domains=st.lists(st.integers(2, 10**9), min_size=2, max_size=30), epsilon=epsilons)
def test_large_domains_by_formula(domains, epsilon):
    """OUE-z never exceeds the claim for one attribute; GRR does, through its largest domain, unless all are equal."""
    alpha = Privacy(epsilon=epsilon).alpha
    d = len(domains)
    unary = losses(RsFd(tuple(domains), Privacy(epsilon=epsilon), "oue-z"))
    assert unary.one_attribute_alpha == alpha
    assert unary.one_attribute_holds
    direct = RsFd(tuple(domains), Privacy(epsilon=epsilon), "grr")
    by_attribute = [direct.changed_alpha([j]) for j in range(d)]
    assert by_attribute[domains.index(max(domains))] == min(by_attribute) <= alpha
    assert (min(by_attribute) == alpha) == (len(set(domains)) == 1)
    for oracle in (direct, RsFd(tuple(domains), Privacy(epsilon=epsilon))):
        assert oracle.changed_alpha(range(d)) == amplified(alpha, d) == oracle.amplified_alpha
        assert not losses(oracle).whole_tuple_holds
    assert math.log(1 / float(amplified(alpha, d))) == pytest.approx(direct.amplified_epsilon, rel=1e-6)


@settings(max_examples=30)
@given(domains=st.lists(st.integers(2, 1000), min_size=1, max_size=9), epsilon=epsilons)
def test_splitting_and_sampling_hold_their_claim(domains, epsilon):
    d = len(domains)
    split, sampled = (
        losses(Spl(tuple(domains), Privacy(epsilon=epsilon))),
        losses(Smp(tuple(domains), Privacy(epsilon=epsilon))),
    )
    assert split.whole_tuple_alpha == Privacy(epsilon=epsilon).root(d) ** d
    assert split.one_attribute == pytest.approx(float(epsilon) / d, rel=1e-6)
    assert sampled.one_attribute_alpha == sampled.whole_tuple_alpha == Privacy(epsilon=epsilon).alpha
    assert split.whole_tuple_holds
    assert sampled.whole_tuple_holds
    assert split.whole_tuple == pytest.approx(float(epsilon), rel=1e-6)


def test_one_attribute_alone_is_the_plain_oracle():
    for encoding in ("grr", "oue-z"):
        oracle = RsFd((5,), Privacy(epsilon=1), encoding)
        assert losses(oracle).whole_tuple_alpha == Privacy(epsilon=1).alpha
        assert oracle.amplified_epsilon == pytest.approx(1)
    assert advice(loss_rows("RS+FD", [5], Privacy(epsilon=1))).startswith("The claim holds")


def test_rows_and_advice():
    rows = loss_rows("rsfd", [3, 4], Privacy(epsilon=1))
    assert [row.label for row in rows] == ["GRR", "OUE-z", "ADP"]
    text = advice(rows)
    assert "NOT 1-LDP for whole tuples" in text
    assert "1.48989" in text
    assert "With GRR and ADP even a change of one attribute shows with 1.04422" in text
    assert "one attribute" not in advice(loss_rows("RS+FD", [4, 4], Privacy(epsilon=1)))
    for name in ("spl", "SMP"):
        assert advice(loss_rows(name, [3, 4], Privacy(epsilon=1))).startswith("The claim holds")


def test_too_many_reports_leave_the_formula(monkeypatch):
    for domains in ((40, 41), (2, 20)):
        assert losses(RsFd(domains, Privacy(epsilon=1), "oue-z")).outputs is None
    with refused(InputError):
        RsFd((10, 10), Privacy(epsilon=1), "oue-z").report_law()
    monkeypatch.setattr(RsFd, "changed_alpha", lambda self, attributes: Fraction(1, 2))
    with refused(ArithmeticError):
        losses(RsFd((2, 2), Privacy(epsilon=1), "grr"))


def test_an_excess_too_small_for_a_fixed_slack_is_seen():
    oracle: TupleOracle = RsFd((2, 2), Privacy(epsilon=Fraction(1, 10**8)), "grr")
    found = losses(oracle)
    assert found.one_attribute_holds
    assert not found.whole_tuple_holds
    assert not losses(RsFd((2, 5), Privacy(epsilon=Fraction(1, 2000)), "grr")).one_attribute_holds
