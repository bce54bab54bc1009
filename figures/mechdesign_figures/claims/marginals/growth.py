"""The growth of errors with attributes, against theorems 3 to 5, lemma 7 and table 4.1."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product

from mechdesign_figures.claims.marginals.telling import marginal_claim
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.bounds import BOUNDS, EPSILON, Growth, coefficients, tables
from mechdesign_figures.studies.marginals.first_steps import TABLE_4_2
from mechdesign_figures.studies.marginals.systems import INPHT, INPPS, INPRR, MARGHT, MARGPS, MARGRR, SIX, at, binary

ATTRIBUTES, WAYS = (4, 8, 12, 16), (1, 2, 3, 4)
QUICK_ATTRIBUTES, QUICK_WAYS = (4, 8), (1, 2, 3)
LARGER_WAYS, QUICK_LARGER_WAYS = ((10, 5), (10, 6), (10, 7)), ((8, 6),)
"""Attributes and ways that tell growths with k apart."""

SPREAD = 2.0
"""Factor between the largest and the smallest quotient up to which an error grows like a bound."""

USERS = 1 << 18


@lru_cache(maxsize=512)
def _error(name: str, d: int, k: int) -> float:
    return binary(name, d, k, at(EPSILON)).uniform_error(USERS)


def _cells(quick: bool) -> list[tuple[int, int]]:
    return list(product(QUICK_ATTRIBUTES, QUICK_WAYS) if quick else product(ATTRIBUTES, WAYS))


def _grows_like(name: str, growth: Growth) -> Callable[[DesignCache, bool], Finding]:
    """Measure whether errors over a bound stay within a factor: one case for all settings."""

    def measure(cache: DesignCache, quick: bool) -> Finding:
        cells = _cells(quick) + list(QUICK_LARGER_WAYS if quick else LARGER_WAYS)
        quotients = {(d, k): _error(name, d, k) / growth(d, k) for d, k in cells}
        least, most = (choose(quotients, key=quotients.__getitem__) for choose in (min, max))
        factor = quotients[most] / quotients[least]
        where = " and ".join(f"d = {d}, k = {k}" for d, k in (least, most))
        numbers = f"error over bound between {where} differs by a factor of {factor:.3g}"
        return judge([Case(f"{len(cells)} settings", factor <= SPREAD, numbers)])

    return measure


def _bits(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for system, (d, k) in product(BOUNDS, ((4, 2), (8, 2), (8, 3), (16, 2), (16, 3))):
            printed, found = BOUNDS[system].bits(d, k), binary(SIX[system], d, k).oracle.bits
            yield Case(f"{system}, d = {d}, k = {k}", found <= printed, f"{found:g} bits, printed {printed:g}")

    return judge(cases())


def _enough_users(cache: DesignCache, quick: bool) -> Finding:
    settings = [("figures 4.3 and 4.6", 16, 16), ("figure 4.4", 18, 8)]
    settings += [(f"table 4.2, d = {row.d}", row.users_log2, row.d) for row in TABLE_4_2]
    cases = [Case(where, n >= d, f"2^{n} users, 2^{d} cells", d <= 16, Fraction(d - n)) for where, n, d in settings]
    return judge(cases, "d <= 16")


def _sharing(cache: DesignCache, quick: bool) -> Finding:
    def case(d: int, k: int) -> Case:
        squared = (_error(SIX[INPHT], d, k) / _error(SIX[MARGHT], d, k)) ** 2
        told = coefficients(d, k) / (tables(d, k) * (2**k - 1))
        return Case(
            f"d = {d}, k = {k}", abs(squared / told - 1) <= 0.05, f"{squared:.4f}, T/(C (2^k - 1)) = {told:.4f}"
        )

    return judge(case(d, k) for d, k in _cells(quick))


READ = (
    f"read as: within a factor of {SPREAD:g} over d = {ATTRIBUTES[0]} to {ATTRIBUTES[-1]}, k = 1 to {WAYS[-1]}, and "
    f"d = 10, k = 5 to 7; exact errors at epsilon = {EPSILON}"
)

CLAIMS = (
    marginal_claim(
        "theorem 3",
        f"the error of INPRR grows like 2^((d+k)/2) (theorem 3; symmetric bits; {READ})",
        _grows_like("inprr:sue", BOUNDS[INPRR].derived),
    ),
    marginal_claim(
        "table 4.1 on INPRR",
        f"the error of INPRR grows like 2^(k/2) 2^d (table 4.1; {READ})",
        _grows_like(SIX[INPRR], BOUNDS[INPRR].printed),
    ),
    marginal_claim(
        "theorem 4",
        f"the error of INPPS grows like 2^(k/2) 2^d (theorem 4; {READ})",
        _grows_like(SIX[INPPS], BOUNDS[INPPS].printed),
    ),
    marginal_claim(
        "theorem 5",
        "the error of INPHT grows like 2^(k/2) times the root of T (theorem 5, whose d^(k/2) stands for that root; "
        f"{READ})",
        _grows_like(SIX[INPHT], BOUNDS[INPHT].derived),
    ),
    marginal_claim(
        "lemma 7 on MARGRR",
        "the error of MARGRR grows like 2^k times the root of the number of tables (lemma 7, whose d^(k/2) stands for "
        f"that root; {READ})",
        _grows_like(SIX[MARGRR], BOUNDS[MARGRR].derived),
    ),
    marginal_claim(
        "lemma 7 on MARGPS",
        f"the error of MARGPS grows like 2^(3k/2) times that root (lemma 7; {READ})",
        _grows_like(SIX[MARGPS], BOUNDS[MARGPS].derived),
    ),
    marginal_claim(
        "lemma 7 on MARGHT",
        "the bound of MARGHT is tight: its error grows like 2^(3k/2) times that root (lemma 7, and the chapter's first "
        f"tight bounds; {READ})",
        _grows_like(SIX[MARGHT], BOUNDS[MARGPS].derived),
    ),
    marginal_claim(
        "lemma 7 on MARGHT, mended",
        f"ours: it grows like 2^k times that root, as errors of coefficients are independent ({READ})",
        _grows_like(SIX[MARGHT], BOUNDS[MARGHT].derived),
    ),
    marginal_claim(
        "sharing coefficients",
        "ours: the squared error of INPHT is T/(C (2^k - 1)) of that of MARGHT, C the number of tables (read as: "
        f"within 5 %; exact errors at epsilon = {EPSILON})",
        _sharing,
    ),
    marginal_claim(
        "bits of table 4.1",
        "reports take at most the bits of table 4.1",
        _bits,
    ),
    marginal_claim(
        "users and cells",
        "the number of users is at least proportional to the number 2^d of cells (section 4.3.2; read as: n >= 2^d in "
        "the chapter's settings)",
        _enough_users,
    ),
)
