"""Claims on what is optimal: verdicts in their quick form, and that other bounds turn them."""

from dataclasses import replace

import pytest
from findings import finding

from mechdesign_figures.claims.claim import OPTIMA
from mechdesign_figures.claims.ledger import CLAIMS
from mechdesign_figures.claims.verdict import Verdict
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.optimal.settings import Setting

HOLDS, CONDITIONAL, FAILS = Verdict.HOLDS, Verdict.CONDITIONAL, Verdict.FAILS
BY_KEY = {claim.key: claim for claim in CLAIMS if claim.source == OPTIMA}
BENCH = DesignCache()

VERDICTS = {
    "subset selection is optimal": HOLDS,
    "OUE and OLH are optimal": FAILS,
    "GRR for few items": CONDITIONAL,
    "trees for ranges": FAILS,
    "trees for prefixes": FAILS,
    "InpHT for tables": FAILS,
    "InpHT with weights": CONDITIONAL,
    "adapted mechanisms": CONDITIONAL,
    "subset selection in trees": HOLDS,
    "the floor": HOLDS,
}


class LooseBench(DesignCache):
    """The same designs, proved to be the best but for a hundredth."""

    def workload_design(self, problem, gap):
        best = BENCH.workload_design(problem, gap)
        return replace(best, lower_bound=best.lower_bound * 99 / 100)


def test_every_claim_of_the_group_is_expected():
    assert VERDICTS.keys() == BY_KEY.keys()


@pytest.mark.slow
@pytest.mark.parametrize(("key", "verdict"), VERDICTS.items(), ids=VERDICTS)
def test_the_verdict_is_what_was_proved(key, verdict):
    assert finding(key).verdict is verdict


@pytest.mark.slow
@pytest.mark.parametrize("key", ["subset selection is optimal", "GRR for few items", "adapted mechanisms"])
def test_nothing_is_the_best_where_bounds_leave_a_hundredth_open(key):
    assert BY_KEY[key].measure(LooseBench(), True).verdict is not VERDICTS[key]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "numbers"),
    [
        ("OUE and OLH are optimal", "oue 1.5513 of the least"),
        ("trees for prefixes", "hh:b=2:in=olh 2.4356 of the least"),
    ],
    ids=["OUE", "trees"],
)
def test_known_ratios_appear(key, numbers):
    assert numbers in finding(key).numbers


def test_a_bench_designs_once():
    problem = Setting("histogram", 4, "1").problem
    assert BENCH.workload_design(problem, 1e-3) is BENCH.workload_design(problem, 1e-3)
