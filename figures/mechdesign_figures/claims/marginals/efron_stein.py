"""Expectations of Efron-Stein coefficients (section 7.1.1 of the thesis)."""

from fractions import Fraction

import numpy as np

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.datasets.items import ItemTable
from mechdesign_catalog.decoders.tables.subsets import PeopleShares, subsets_of
from mechdesign_catalog.systems.tables.fourier.inpes import Inpes
from mechdesign_catalog.systems.tables.fourier.inpht import Inpht
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle
from mechdesign_figures.claims.marginals.telling import marginal_claim
from mechdesign_figures.claims.ranges.conclusions import conclude
from mechdesign_figures.claims.verdict import Case, Finding
from mechdesign_figures.studies.design_cache import ITEMS, DesignCache

DATA = ("nursery", "adult")
EPSILONS = tuple(map(Fraction, ("0.4", "1.1", "2")))
EFRON_STEIN = ("inpes:k=2:basis=trigonometric", "inpes:k=2:basis=helmert")
OTHERS = ("inpht:k=2", "margps:k=2", "margrr:k=2")
AMONG = 1.25
"""A method is among the best whose average variance is at most so many times the least."""

SIZES = (2, 3, 4, 5, 6, 7, 8, 9, 12, 16)


def _among_the_best(cache: DesignCache, quick: bool) -> Finding:
    def case(name: str, epsilon: Fraction) -> Case:
        table, privacy = cache.table(name), Privacy(epsilon=epsilon)
        own, others = ({text: average_variance(text, table, privacy) for text in of} for of in (EFRON_STEIN, OTHERS))
        least = min(others.values())
        told = ", ".join(f"{text} {value / least:.2f}" for text, value in (own | others).items())
        ratio = min(own.values()) / least
        return Case(f"{name}, epsilon = {float(epsilon):g}", ratio <= AMONG, told, miss=Fraction(ratio))

    return conclude([case(name, epsilon) for name in DATA for epsilon in EPSILONS])


def average_variance(text: str, table: ItemTable, privacy: Privacy) -> float:
    """Compute the mean variance of least squares over all cells of all tables of two attributes, at the true shares."""
    domains = tuple(table.sizes)
    oracle = parse_marginal_oracle(text, domains, privacy)
    shares, users = PeopleShares(domains, table.values), oracle.planned_users(table.users)
    subsets = subsets_of(len(domains), 2)
    return float(np.concatenate([oracle.least_squares.variances(one, shares, users) for one in subsets]).mean())


def _one_attribute(cache: DesignCache, quick: bool) -> Finding:
    """Noise of the shares of one attribute's items, the functions drawn as is best for them."""
    privacy = Privacy(epsilon=1)

    def case(items: int) -> Case:
        hadamard = Inpht((items,), privacy, 1).traces_of(items)[0]
        power = items & (items - 1) == 0
        bases = ("trigonometric", "helmert", *(("walsh",) if power else ()))
        found = {basis: Inpes((items,), privacy, 1, basis=basis).traces_of(items)[0] / hadamard for basis in bases}
        told = ", ".join(f"{basis} {float(ratio):.2f}" for basis, ratio in found.items())
        least = min(found.values())
        return Case(f"{items} items", least <= 1, told, power, least)

    return conclude(list(map(case, SIZES)), "the number of items is a power of two, with Walsh functions")


CLAIMS = (
    marginal_claim(
        "Efron-Stein coefficients",
        "for tables of few attributes a scheme on coefficients of the Efron-Stein decomposition will be among the "
        f"best (section 7.1.1; read as: its average variance over all tables of two attributes is at most {AMONG:g} "
        f"times the least of {', '.join(OTHERS)}, all by least squares; times that least)",
        _among_the_best,
        *(ITEMS + name for name in DATA),
    ),
    marginal_claim(
        "Efron-Stein functions of one attribute",
        "ours: the best of three Efron-Stein bases has no more noise in the shares of one attribute's items than "
        "Hadamard coefficients in as many binary places as the items need (times the latter)",
        _one_attribute,
    ),
)
