"""Every system passes the check that anybody's own oracle must pass; oracles that say what is false do not."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judged_cells import judge_cells
from oracle_cases import CASES
from system_oracles import ATTRIBUTES, LEVELS, oracle_of
from wording import refused

from mechdesign import Privacy
from mechdesign.errors import InputError, NoAnswerError
from mechdesign_catalog.decoders.tables.subsets import JointShares, subsets_of
from mechdesign_catalog.randomizers.exchangeable import PureOracle
from mechdesign_catalog.randomizers.facts.information import Information
from mechdesign_catalog.randomizers.facts.liars import WorstBias
from mechdesign_catalog.randomizers.facts.rates import Rates
from mechdesign_catalog.randomizers.reports.probabilities import direct
from mechdesign_catalog.systems import make_oracle
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.flat.sketch import Hcms
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle
from mechdesign_catalog.testing import OracleLaw, check_oracle, judge_estimate

ORACLES = {
    **{case.label: case.small for case in CASES if case.label not in LEVELS},
    **{f"levels: {label}": (lambda label=label: LEVELS[label]) for label in LEVELS},
    **{text: (lambda text=text: oracle_of(text)) for text in ATTRIBUTES},
    "onebitmean": lambda: OneBitMean(5, Privacy(epsilon=1), 4),
    "hcms, two hashes": lambda: make_oracle("hcms", 4, Privacy(epsilon=1), hashes=2, width=2),
    "hcms, three hashes": lambda: make_oracle("hcms", 3, Privacy(epsilon=1), hashes=3, width=2),
}


@pytest.mark.slow
@pytest.mark.parametrize("label", ORACLES)
def test_every_system_passes(label):
    check_oracle(ORACLES[label]())


TABLES = {
    **{text: domains for text, domains in ATTRIBUTES.items() if not text.startswith("inphtcms")},
    "inprr:oue:k=1": (3, 2),
    "inpolh:hash_bits=3": (2, 2),
    "calm:sets=0.1+0.2+1.2": (3, 2, 2),
    "margps:k=1": (3, 5),
    "margps:k=2": (3, 2, 4, 2),
    "margps:k=3": (3, 2, 2),
    "margrr:k=3": (2, 2, 2),
    "marght:k=1": (2, 2, 2),
    "marght:k=3": (2, 2, 2, 2),
    "inpht:k=1": (5,),
    "inpht:k=2": (3, 2, 5),
    "inpht:draw=uniform": (4, 3),
    "inpht:k=3": (2, 2, 2, 2),
    "inpes:basis=helmert:draw=uniform": (4, 2),
}
BOUNDED = {"inpht", "inpht:k=2", "inpht:k=1", "inpht:draw=uniform"}
"""Least squares of padded items state a bound of the least variance, and INPES does."""


@pytest.mark.slow
@pytest.mark.parametrize("post", ["raw", "least_squares"])
@pytest.mark.parametrize("text", TABLES)
def test_cells_of_tables_vary_together_as_is_stated(text, post):
    """Variances of cells that are mixed at random give their covariance; no tuple of users has less than the least."""
    oracle = parse_marginal_oracle(text, TABLES[text], Privacy(alpha="3/4" if text in ATTRIBUTES else "1/3"))
    judge, estimator = OracleLaw.of(oracle), getattr(oracle, post)
    users = judge.users()
    for subset in {own[place] for own in tables_by_order(oracle) for place in (0, -1)}:
        judge_cells(judge, estimator, subset, users)
        count = users[0] if len(users) == 1 else np.array(users, dtype=np.float64)
        everybody = (JointShares(oracle.domains, one) for one in np.eye(judge.inputs))
        lowest = np.min([estimator.variances(subset, own, count) for own in everybody], axis=0)
        least = estimator.least_variances(subset, count)
        assert ((least > 0) & (least <= lowest * (1 + 1e-9))).all()
        is_bound = oracle.name == "inpes" or (post == "least_squares" and text in BOUNDED)
        assert is_bound or least == pytest.approx(lowest, rel=1e-9)


def tables_by_order(oracle):
    return [subsets_of(len(oracle.domains), order) for order in range(1, oracle.way + 1)]


FEW = {
    **{name: (lambda name=name: make_oracle(name, 3, Privacy(alpha="1/3"))) for name in ("grr", "oue", "ss", "hrr")},
    "designed": lambda: make_oracle("design:CH:L1", 4, Privacy(epsilon=1)),
    **{label: (lambda label=label: LEVELS[label]) for label in ("hh, oue", "hh, raw", "haar, ragged, weighted", "hh2")},
    **{text: (lambda text=text: oracle_of(text)) for text in ("smp", "margrr", "margps", "marght", "inpht", "inpes")},
    "pooled": lambda: oracle_of("calm:sets=0.1.2+0.1+1.2"),
    "all at once": lambda: oracle_of("inpps"),
    "parities": lambda: oracle_of("inpem"),
}


@pytest.mark.slow
@pytest.mark.parametrize("label", FEW)
@given(data=st.data())
@settings(max_examples=6, suppress_health_check=[HealthCheck.differing_executors])
def test_variances_hold_for_any_users_and_shares(label, data):
    """One user, branches with one and with none, shares of nobody: what cannot be answered is said to be so."""
    judge = judged(label)
    branches = max(judge.branches) + 1
    users = data.draw(st.lists(st.integers(0, 3), min_size=branches, max_size=branches).filter(any))
    counts = data.draw(st.lists(st.integers(0, 4), min_size=judge.inputs, max_size=judge.inputs).filter(any))
    for asked in judge.asked():
        try:
            judge_estimate(judge, asked, users, np.array(counts) / sum(counts))
        except NoAnswerError:
            assert not all(users)


@cache
def judged(label):
    return OracleLaw.of(FEW[label]())


def saying(**facts):
    """A copy of GRR that says something else of itself."""
    return dataclass(frozen=True)(type("Saying", (Grr,), facts))


def moments(**others):
    made = cached_property(lambda self: replace(Grr.moments.func(self), **others))
    made.__set_name__(Grr, "moments")
    return made


FALSE = {
    "alpha": (
        {"alpha": Fraction(1, 2), "support": property(lambda self: direct(self.k, self.privacy.alpha))},
        "alpha must be the smallest ratio of chances",
    ),
    "constants": ({"own_constants": lambda self: {"p": (1, 2)}}, "its constants must be JSON"),
    "a smaller variance": ({"moments": moments(own=Fraction(1, 9))}, "items: variances must be"),
    "no covariance": ({"moments": moments(own_other=Fraction(0))}, "ranges: variances must be"),
    "biased estimates": ({"estimate": lambda self, state: 1.001 * Grr.estimate(self, state)}, "must be unbiased"),
    "rates too narrow": (
        {"honest_rates": lambda self, s: iter([Rates.of("items", s.sums, s.users, 0.2, float(self.support.p))])},
        "items: the stated rates must be",
    ),
    "rates too wide": (
        {"honest_rates": lambda self, s: iter([Rates.of("items", s.sums, s.users, 0.0, 1.0)])},
        "items: the stated rates must be",
    ),
    "information": ({"information": lambda self: Information(np.eye(self.k), True)}, "information must be that"),
    "liars who do more": ({"worst_bias": lambda self, b: WorstBias(b, True)}, "liars must move an estimate by at most"),
    "liars who do less": ({"worst_bias": lambda self, b: WorstBias(99 * b, True)}, "liars must be able to move"),
    "a law": (
        {"report_law": lambda self: {(i,): (*(Fraction(1, 4),) * 3, Fraction(1, 9)) for i in range(4)}},
        "chances of input 3 must sum to 1",
    ),
    "reports that it cannot make": (
        {"columns_of": lambda self, reports: [np.minimum(reports.columns["item"], 3)]},
        "item beyond the report space must be refused",
    ),
    "no costs": ({"adding_seconds": 0.0}, "adding_seconds must be above 0"),
}


@pytest.mark.parametrize("label", FALSE)
def test_what_is_not_so_is_found(label, monkeypatch):
    facts, error = FALSE[label]
    oracle = saying(**facts)(4, Privacy(alpha="1/3"))
    monkeypatch.setattr("mechdesign_catalog.testing.task_oracle", lambda task: oracle)
    with pytest.raises(AssertionError, match=error):
        check_oracle(oracle)


SKETCHED = {
    "no collisions": (
        {"variance": lambda self, shares, users: PureOracle.variance(self, shares, users)},
        "items: variances must be",
    ),
    "hashes that are not redrawn": (
        {"support": property(lambda self: direct(2, self.privacy.alpha))},
        "items: must be unbiased over public draws",
    ),
    "liars who do less": ({"worst_bias": lambda self, b: WorstBias(2 * b, True)}, "liars must move an estimate by at"),
}


@pytest.mark.parametrize("label", SKETCHED)
def test_what_is_not_so_over_redrawn_hashes_is_found(label, monkeypatch):
    facts, error = SKETCHED[label]
    oracle = dataclass(frozen=True)(type("Saying", (Hcms,), facts))(4, Privacy(alpha="1/3"), 1, 4)
    monkeypatch.setattr("mechdesign_catalog.testing.task_oracle", lambda task: oracle)
    monkeypatch.setattr("mechdesign_catalog.testing.check_rates", lambda judge: None)
    with pytest.raises(AssertionError, match=error):
        check_oracle(oracle)


def test_public_randomness_of_many_draws_is_refused():
    with refused(InputError):
        check_oracle(make_oracle("hcms", 5, Privacy(epsilon=1), hashes=3, width=4))
