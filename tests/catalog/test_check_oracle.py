"""Every system passes the check that anybody's own oracle must pass; oracles that say what is false do not."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest
from oracle_cases import CASES
from system_oracles import ATTRIBUTES, LEVELS, oracle_of

from mechdesign import Privacy
from mechdesign_catalog.oracles.information import Information
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.liars import WorstBias
from mechdesign_catalog.oracles.probabilities import direct
from mechdesign_catalog.oracles.rates import Rates
from mechdesign_catalog.testing import check_oracle

ORACLES = {
    **{case.label: case.small for case in CASES},
    **{f"levels: {label}": (lambda label=label: LEVELS[label]) for label in LEVELS},
    **{text: (lambda text=text: oracle_of(text)) for text in ATTRIBUTES},
    "onebitmean": lambda: OneBitMean(5, Privacy(epsilon=1), 4),
}


@pytest.mark.slow
@pytest.mark.parametrize("label", ORACLES)
def test_every_system_passes(label):
    check_oracle(ORACLES[label]())


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
