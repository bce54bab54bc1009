"""Mechanisms that papers call optimal or best, against the certified optimum."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

from mechdesign.methods.row_designs.floor import floor_by_eigenvalues
from mechdesign_figures.claims.claim import OPTIMA, Claim
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.optimal.published import (
    FAMILIES,
    GRR,
    HAAR,
    INPHT,
    OLH,
    OUE,
    SUBSET_TREES,
    SUBSETS,
    TREES,
    WEIGHTED,
    variances,
)
from mechdesign_figures.studies.optimal.settings import PAIRS, WORKLOADS, Setting

SIZES = {"prefixes": (8, 16), "ranges": (8, 16), "histogram": (8, 16, 32, 64), PAIRS: (8, 16, 32)}
QUICK_SIZES = (8,)
GRR_SIZES = (3, 4, 6, 8, 12, 16, 24)
"""Numbers of items around the smallest one that is too many for GRR."""

EPSILONS, QUICK_EPSILONS = ("0.5", "1", "2"), ("1", "2")
SAME = 1e-4
"""What is proved to be above the least by no more than this part of it is the best; the certified gaps are smaller."""

PUBLISHED = tuple(family for family in FAMILIES if family not in (SUBSET_TREES, WEIGHTED))
"""What is on the shelf and not ours."""

FLOOR = 0.9
"""The share of the least variance that the floor is said to have."""


def _settings(workload: str, quick: bool) -> Iterator[Setting]:
    for k, epsilon in product(QUICK_SIZES if quick else SIZES[workload], QUICK_EPSILONS if quick else EPSILONS):
        yield Setting(workload, k, epsilon)


def _where(setting: Setting) -> str:
    return f"{setting.workload}, k = {setting.k}, epsilon = {setting.epsilon}"


def _best(setting: Setting, families: Sequence[str]) -> tuple[float, str]:
    """The least variance of these families, and whose it is."""
    return min((variance, name) for name, family, variance in variances(setting) if family in families)


def _case(cache: DesignCache, setting: Setting, families: Sequence[str], met: bool = True) -> Case:
    """Whether the best of these families is the best of all mechanisms, and how far above it is."""
    best = cache.workload_design(setting.problem, min(setting.gap, SAME))
    variance, name = _best(setting, families)
    least, most = variance / float(best.score), variance / float(best.lower_bound)
    return Case(_where(setting), most <= 1 + SAME, f"{name} {least:.4f} of the least", met, Fraction(round(least, 4)))


def _over_the_best(families: Sequence[str], workloads: Sequence[str], cache: DesignCache, quick: bool) -> Finding:
    """Judge whether these families have the best of all mechanisms for these workloads."""
    return judge(_case(cache, setting, families) for name in workloads for setting in _settings(name, quick))


def _grr_for_few_items(cache: DesignCache, quick: bool) -> Finding:
    """GRR is subset selection with sets of one item, which is better than with two where (k - 1)(k - 2) <= 2 x^2."""

    def cases() -> Iterator[Case]:
        for k, epsilon in product(QUICK_SIZES if quick else GRR_SIZES, EPSILONS):
            setting = Setting("histogram", k, epsilon)
            x = float(1 / setting.problem.alpha)
            if setting.k < 3 * x + 2:
                yield _case(cache, setting, (GRR,), (setting.k - 1) * (setting.k - 2) <= 2 * x**2)

    return judge(cases(), "(k - 1)(k - 2) <= 2 e^(2 epsilon)")


def _weighted(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for k, epsilon in product(QUICK_SIZES if quick else SIZES[PAIRS], ("0.25", *EPSILONS)):
            yield _case(cache, Setting(PAIRS, k, epsilon), (WEIGHTED,), float(epsilon) <= 0.5)

    return judge(cases(), "epsilon <= 0.5")


def _adapted(cache: DesignCache, quick: bool) -> Finding:
    """A mechanism that is adapted can only be better where none on the shelf is the best already."""

    def case(setting: Setting) -> Case:
        found = _case(cache, setting, PUBLISHED)
        return replace(found, true=not found.true, met=setting.workload != "histogram")

    tried = (setting for workload in WORKLOADS for setting in _settings(workload, quick))
    return judge(map(case, tried), "the workload is not the histogram, where subset selection is the best already")


def _subset_levels(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for workload in ("prefixes", "ranges"):
            for setting in _settings(workload, quick):
                better, name = _best(setting, (SUBSET_TREES,))
                usual, of = _best(setting, (TREES,))
                numbers = f"{name} {better / usual:.3f} of {of}"
                yield Case(_where(setting), better < usual, numbers, miss=Fraction(better / usual))

    return judge(cases())


def _floor(cache: DesignCache, quick: bool) -> Finding:
    """Where epsilon is 1 at most; the lowest share beyond is told."""
    shares = {
        setting: float(floor_by_eigenvalues(setting.problem)) / float(best.score)
        for workload in WORKLOADS
        for setting in _settings(workload, quick)
        for best in (cache.workload_design(setting.problem, min(setting.gap, SAME)),)
    }
    low = [setting for setting in shares if float(setting.epsilon) <= 1]
    cases = [
        Case(_where(setting), share >= FLOOR, f"floor {share:.4f} of the least", miss=Fraction(1 - share))
        for setting, share in shares.items()
        if setting in low
    ]
    worst = min(shares.keys() - set(low), key=shares.__getitem__)
    return judge(cases, note=f"beyond down to {shares[worst]:.4f} ({_where(worst)})")


CLAIMS = (
    Claim(
        "subset selection is optimal",
        OPTIMA,
        "Subset selection has the least mean squared error for histograms, asymptotically (Ye and Barg, IEEE "
        "Transactions on Information Theory 2018); read as: the least variance of all local mechanisms, at every k",
        partial(_over_the_best, (SUBSETS,), ("histogram",)),
    ),
    Claim(
        "OUE and OLH are optimal",
        OPTIMA,
        "OUE and OLH are the optimised oracles for histograms (Wang, Blocki, Li and Jha, USENIX Security 2017); read "
        "as: the better of them has the least variance of all local mechanisms, from full reports",
        partial(_over_the_best, (OUE, OLH), ("histogram",)),
    ),
    Claim(
        "GRR for few items",
        OPTIMA,
        "GRR is the best oracle where k < 3 e^epsilon + 2 (Wang, Blocki, Li and Jha, USENIX Security 2017, who compare "
        "it with OUE and OLH); read as: it has the least variance of all local mechanisms for histograms there",
        _grr_for_few_items,
    ),
    Claim(
        "trees for ranges",
        OPTIMA,
        "Trees with constrained inference and HaarHRR answer ranges best (Cormode, Kulkarni and Srivastava, VLDB 2019, "
        "among what they compare); read as: the better of them has the least variance of all local mechanisms",
        partial(_over_the_best, (TREES, HAAR), ("ranges",)),
    ),
    Claim(
        "trees for prefixes",
        OPTIMA,
        "The same of prefixes, from which quantiles are read",
        partial(_over_the_best, (TREES, HAAR), ("prefixes",)),
    ),
    Claim(
        "InpHT for tables",
        OPTIMA,
        "INPHT answers marginal tables best (Cormode, Kulkarni and Srivastava, SIGMOD 2018, among what they compare); "
        "read as: for all tables of two of d = log2(k) binary attributes it has the least variance of all local "
        "mechanisms",
        partial(_over_the_best, (INPHT,), (PAIRS,)),
    ),
    Claim(
        "InpHT with weights",
        OPTIMA,
        "Ours: with coefficients drawn by how much the tables need them, INPHT has the least variance of all local "
        "mechanisms for tables of two of d = log2(k) binary attributes",
        _weighted,
    ),
    Claim(
        "adapted mechanisms",
        OPTIMA,
        "A mechanism that is optimised for the workload outperforms existing ones, even where those are meant for it "
        "(McKenna, Maity, Mazumdar and Miklau, VLDB 2020); read as: the best published one is not the best of all",
        _adapted,
    ),
    Claim(
        "subset selection in trees",
        OPTIMA,
        "Ours: the best tree whose levels use subset selection has less variance than the best with OUE, OLH or HRR",
        _subset_levels,
    ),
    Claim(
        "the floor",
        OPTIMA,
        "Ours: the floor in closed form (the square of the sum of the centred workload's singular values, divided by "
        "the largest k (x - 1)^2 n (k - n)/(k + (x - 1) n)^2 of a whole n, and a constant) is at least 0.9 of the "
        "least variance where epsilon is at most 1",
        _floor,
    ),
)
