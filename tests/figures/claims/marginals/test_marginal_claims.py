"""Claims on marginals: verdicts in their quick form, and what they rest on."""

from fractions import Fraction

import numpy as np
import pytest
from data_files import needs_files
from findings import finding

from mechdesign_figures.claims.claim import MARGINALS
from mechdesign_figures.claims.ledger import CLAIMS
from mechdesign_figures.claims.marginals.theorems import Sign
from mechdesign_figures.claims.verdict import Verdict

HOLDS, CONDITIONAL, FAILS = Verdict.HOLDS, Verdict.CONDITIONAL, Verdict.FAILS
BY_KEY = {claim.key: claim for claim in CLAIMS if claim.source == MARGINALS}

VERDICTS = {
    "variance of a sampled sign": CONDITIONAL,
    "variance of a sampled sign, mended": HOLDS,
    "largest error of a sampled sign": HOLDS,
    "theorem 2": FAILS,
    "theorem 2, mended": HOLDS,
    "variance of one of T coefficients": CONDITIONAL,
    "symmetric and optimised bits": CONDITIONAL,
    "variance of GRR as printed": CONDITIONAL,
    "bound of lemma 4": HOLDS,
    "chance of the truth": FAILS,
    "theorem 3": HOLDS,
    "table 4.1 on INPRR": FAILS,
    "theorem 4": HOLDS,
    "theorem 5": HOLDS,
    "lemma 7 on MARGRR": HOLDS,
    "lemma 7 on MARGPS": HOLDS,
    "lemma 7 on MARGHT": FAILS,
    "lemma 7 on MARGHT, mended": HOLDS,
    "sharing coefficients": HOLDS,
    "bits of table 4.1": HOLDS,
    "users and cells": CONDITIONAL,
    "root of the users": HOLDS,
    "INPPS and more users": FAILS,
    "numbers that are built": HOLDS,
    "INPHT lowest or near": HOLDS,
    "tables of one attribute": FAILS,
    "tables of one attribute, without MARGRR": HOLDS,
    "systems on the input": CONDITIONAL,
    "MARGPS against MARGRR": CONDITIONAL,
    "MARGPS overtakes": FAILS,
    "INPHT up to half the attributes": HOLDS,
    "INPRR beyond half the attributes": HOLDS,
    "error at k = 5": HOLDS,
    "error of an entry": FAILS,
    "bits of INPRR and INPHT": HOLDS,
    "primitives at k = 1": FAILS,
    "unfavourable systems": FAILS,
    "MARGPS at large epsilon": CONDITIONAL,
    "MARGHT at small epsilon": CONDITIONAL,
    "where MARGPS and MARGHT change": HOLDS,
    "INPHT in all configurations": FAILS,
    "INPHT in all configurations, uniform users": FAILS,
    "INPHT at larger epsilon": FAILS,
    "INPHT with least squares for all": FAILS,
    "CALM against INPHT": FAILS,
    "CALM against the better draw": FAILS,
    "draws of coefficients": HOLDS,
    "INPEM several times worse": FAILS,
    "INPEM inverted": HOLDS,
    "steps of EM": HOLDS,
    "failures of EM": HOLDS,
    "failures of the stop": HOLDS,
    "no gain by other decoders": FAILS,
    "INPOLH for few attributes": CONDITIONAL,
    "INPHTCMS is not competitive": HOLDS,
    "INPOLH takes hours": FAILS,
    "pairs of taxi trips": HOLDS,
    "dependent pairs are found": HOLDS,
    "private statistics": CONDITIONAL,
    "errors of INPHT": FAILS,
    "errors of MARGPS": HOLDS,
    "errors of a test that counts the noise": HOLDS,
    "trees of INPHT": FAILS,
    "trees of MARGPS at small epsilon": HOLDS,
    "trees of MARGPS at large epsilon": HOLDS,
    "trees less the noise": FAILS,
    "attributes of four values": FAILS,
    "variance of a coefficient": HOLDS,
    "one coefficient": CONDITIONAL,
    "one coefficient against two": HOLDS,
    "three coefficients on a sparse histogram": FAILS,
    "patterns in place of signs": HOLDS,
    "Efron-Stein functions of one attribute": CONDITIONAL,
}


ON_DATA = {"Efron-Stein coefficients": FAILS}


def test_every_claim_is_expected():
    assert VERDICTS.keys() | ON_DATA.keys() == BY_KEY.keys()


@needs_files("adult.data", "adult.test", "nursery.data")
@pytest.mark.slow
@pytest.mark.parametrize(("key", "verdict"), ON_DATA.items())
def test_verdicts_on_data(key, verdict):
    assert finding(key).verdict is verdict


@pytest.mark.slow
@pytest.mark.parametrize(("key", "verdict"), VERDICTS.items())
def test_verdicts(key, verdict):
    assert finding(key).verdict is verdict


def test_the_law_of_a_sampled_sign():
    sign = Sign(Fraction(1, 4), Fraction(3))
    assert sign.law == {Fraction(8): Fraction(3, 16), Fraction(-8): Fraction(1, 16), 0: Fraction(3, 4)}
    assert sum(chance * z for z, chance in sign.law.items()) == 1
    assert sign.variance == 15
    assert sign.farthest == 9


def test_chances_of_errors_are_those_of_counting():
    """Two users: the mean of their estimates is off by more than 3 unless it is 0 or both sampled signs differ."""
    sign = Sign(Fraction(1, 4), Fraction(3))
    chances = {(one + other) / 2: 0.0 for one in sign.law for other in sign.law}
    for one, first in sign.law.items():
        for other, second in sign.law.items():
            chances[(one + other) / 2] += float(first * second)
    for off in (0.5, 2.0, 4.0, 8.0):
        assert sign.tail(off, 2) == pytest.approx(sum(p for z, p in chances.items() if abs(z - 1) > off))


def test_bernsteins_bound():
    sign = Sign(Fraction(1), Fraction(3))
    assert sign.bound(3.0, 0.5, 100) == pytest.approx(2 * np.exp(-100 * 0.25 / (6 + 2 * 0.5 * 3 / 3)))
