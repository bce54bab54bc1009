"""Claims on the six systems against epsilon, on least squares and on other draws."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, product, starmap

from mechdesign_catalog.decoders.tables.subsets import UniformShares
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.systems.registry import parse_oracle
from mechdesign_figures.claims.marginals.settings import NEAR, cells, error, errors, excess, told
from mechdesign_figures.claims.marginals.telling import marginal_claim
from mechdesign_figures.claims.ranges.conclusions import conclude
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.best_method import IMPROVED, PUBLISHED, expected_errors
from mechdesign_figures.studies.marginals.systems import (
    INPHT,
    INPPS,
    INPRR,
    MARGHT,
    MARGPS,
    MARGRR,
    SIX,
    THREE,
    at,
    binary,
)

EPSILONS, QUICK_EPSILONS = ("0.4", "0.6", "0.8", "1", "1.2", "1.4"), ("0.4", "1.4")
LATER = ("2", "2.5", "3", "3.5", "4")
USERS = 1 << 18
CALM_EPSILONS = ("0.4", "0.8", "1.1", "1.4", "2")
MOST_TABLES = 120
"""Of some thousands, so many are enough for a mean."""

DRAWS = {
    (4, 1): 1.0,
    (4, 2): 0.93,
    (8, 2): 0.80,
    (8, 3): 0.72,
    (16, 2): 0.68,
    (24, 2): 0.62,
    (16, 3): 0.50,
    (32, 3): 0.37,
}
"""What the draw by square roots leaves of the variance of the published one, in the issue's words, for d and k."""


def _settings(quick: bool, least_way: int = 1) -> Iterator[tuple[int, int, str]]:
    for d, k in cells(quick):
        if k >= least_way:
            for epsilon in QUICK_EPSILONS if quick else EPSILONS:
                yield d, k, epsilon


def _where(d: int, k: int, epsilon: str) -> str:
    return f"d = {d}, k = {k}, epsilon = {epsilon}"


def _primitives(cache: DesignCache, quick: bool) -> Finding:
    """Both on the two cells of one attribute."""

    def case(name: str) -> Case:
        preferential, unary = (_own_and_other(text) for text in ("grr", name))
        ratio = unary / preferential
        numbers = f"n times the variance {float(unary):.4g} against {float(preferential):.4g}, {float(ratio):.2f} times"
        return Case(f"{name.upper()} and GRR on 2 cells", ratio <= NEAR, numbers, miss=ratio)

    return conclude([case(name) for name in ("oue", "sue")])


def _own_and_other(name: str) -> Fraction:
    """The mean of the variances of the two cells' scores."""
    made = parse_oracle(name, 2, THREE)
    if not isinstance(made, ExchangeableOracle):
        raise TypeError("an oracle that treats all items alike is needed")
    return (made.moments.own + made.moments.other) / 2


def _unfavourable(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for d, k, epsilon in _settings(quick, least_way=2):
            found = errors(d, k, epsilon)
            least = min(found[system] for system in (INPPS, INPRR, MARGRR))
            true = least > found[INPHT]
            yield Case(_where(d, k, epsilon), true, told(found), d > 4 or k < 3, excess(found[INPHT], least))

    return judge(cases())


def _preferential_later(cache: DesignCache, quick: bool) -> Finding:
    def case(d: int, k: int) -> Case:
        one, other = (error(system, d, k, EPSILONS[-1]) for system in (MARGPS, MARGHT))
        return Case(f"d = {d}, k = {k}", one < other, f"{one:.4f} against {other:.4f}", k > 1)

    return conclude([case(*cell) for cell in cells(quick)], "k >= 2 (for k = 1 the two are equal)")


def _hadamard_sooner(cache: DesignCache, quick: bool) -> Finding:
    def case(d: int, k: int) -> Case:
        one, other = (error(system, d, k, EPSILONS[0]) for system in (MARGHT, MARGPS))
        return Case(f"d = {d}, k = {k}", one < other, f"{one:.4f} against {other:.4f}", k > 1)

    return conclude([case(*cell) for cell in cells(quick)], "k >= 2, for every d (for k = 1 the two are equal)")


def _turns(cache: DesignCache, quick: bool) -> Finding:
    """Where the better one of MARGPS and MARGHT changes, on a grid of epsilon."""

    def case(d: int, k: int) -> Case:
        grid = [f"{step / 20:g}" for step in range(4, 41)]
        better = [error(MARGPS, d, k, epsilon) < error(MARGHT, d, k, epsilon) for epsilon in grid]
        first = grid[better.index(True)] if True in better else "none"
        once = all(later or not sooner for sooner, later in pairwise(better))
        return Case(f"d = {d}, k = {k}", once and better[-1] and not better[0], f"MARGPS from epsilon = {first} on")

    return conclude([case(d, k) for d, k in (((4, 2), (8, 2)) if quick else ((4, 2), (8, 2), (8, 3), (8, 4), (8, 5)))])


def _always_best(epsilons: tuple[str, ...], cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for d, k in cells(quick):
            for epsilon in epsilons[:: len(epsilons) - 1] if quick else epsilons:
                found = errors(d, k, epsilon)
                over = excess(found[INPHT], min(found.values()))
                true = found[INPHT] <= (1 + 1e-6) * min(found.values())
                yield Case(_where(d, k, epsilon), true, told(found), miss=over)

    return judge(cases())


def _uniform_best(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for d, k, epsilon in _settings(quick):
            found = expected_errors(PUBLISHED, d, k, epsilon)
            over = excess(found[INPHT], min(found.values()))
            yield Case(_where(d, k, epsilon), over <= 1e-6, told(found), miss=over)

    return judge(cases())


def _with_least_squares(cache: DesignCache, quick: bool) -> Finding:
    """At uniform shares."""

    def cases() -> Iterator[Case]:
        for d, k, epsilon in _settings(quick, least_way=2):
            found = expected_errors(IMPROVED, d, k, epsilon)
            over = excess(found[INPHT], min(found.values()))
            yield Case(_where(d, k, epsilon), over <= 1e-6, told(found), miss=over)

    return judge(cases())


def _covering(name: str, consistent: bool) -> Callable[[DesignCache, bool], Finding]:
    """Compare CALM's linear estimates with INPHT: tables of d = 4 to 16, the mean over some of the larger ones."""

    def measure(cache: DesignCache, quick: bool) -> Finding:
        def case(d: int, k: int, epsilon: str) -> Case:
            covering, hadamard = (
                binary(text, d, k, at(epsilon), least) for text, least in (("calm", True), (name, consistent))
            )
            shares, asked = (
                UniformShares(covering.domains),
                covering.subsets[:: 1 + len(covering.subsets) // MOST_TABLES],
            )
            one, other = (collection.mean_error(shares, USERS, asked) for collection in (covering, hadamard))
            return Case(_where(d, k, epsilon), one < other, f"{one:.4f} against {other:.4f}", miss=excess(one, other))

        sizes = (4, 8) if quick else (4, 8, 12, 16)
        return judge(starmap(case, product(sizes, (2, 3), CALM_EPSILONS)))

    return measure


def _draws(cache: DesignCache, quick: bool) -> Finding:
    def case(d: int, k: int, printed: float) -> Case:
        uniform, roots = (binary(name, d, k).uniform_error(USERS) for name in ("inpht:draw=uniform", "inpht"))
        found = (roots / uniform) ** 2
        return Case(f"d = {d}, k = {k}", found <= 1 + 1e-6 and abs(found - printed) <= 0.01, f"{found:.3f}")

    settings = [(d, k, left) for (d, k), left in DRAWS.items() if d <= (8 if quick else 32)]
    return conclude([case(*setting) for setting in settings])


FILMS_WORDS = "made-up users of films, 2^18; d = 4, 8, 16, k = 1, 2, 3"

CLAIMS = (
    marginal_claim(
        "primitives at k = 1",
        "for k = 1 randomised response on all cells and preferential sampling are effectively the same (read as: "
        f"variances on 2 cells of equal shares within {NEAR - 1:.0%}; e^epsilon = 3)",
        _primitives,
    ),
    marginal_claim(
        "unfavourable systems",
        "for k >= 2 and epsilon = 0.4 to 1.4 INPPS, INPRR and MARGRR are unfavourable (figure 4.6; read as: each less "
        f"accurate than INPHT; {FILMS_WORDS})",
        _unfavourable,
    ),
    marginal_claim(
        "MARGPS at large epsilon",
        f"MARGPS becomes better than MARGHT as epsilon grows (figure 4.6; read as: at epsilon = 1.4; {FILMS_WORDS})",
        _preferential_later,
    ),
    marginal_claim(
        "MARGHT at small epsilon",
        "MARGHT is better than MARGPS at small epsilon where d and k are larger (figure 4.6; read as: at epsilon = 0.4 "
        f"in all settings; {FILMS_WORDS})",
        _hadamard_sooner,
    ),
    marginal_claim(
        "where MARGPS and MARGHT change",
        "ours: MARGPS is the better one from an epsilon on that grows with k, and hardly depends on d (epsilon = 0.2 "
        "to 2)",
        _turns,
    ),
    marginal_claim(
        "INPHT in all configurations",
        f"INPHT outperforms all others in all configurations (figure 4.6; {FILMS_WORDS}; equal errors count as true)",
        lambda cache, quick: _always_best(EPSILONS, cache, quick),
    ),
    marginal_claim(
        "INPHT in all configurations, uniform users",
        "ours: so it does where all combinations of items are as frequent",
        _uniform_best,
    ),
    marginal_claim(
        "INPHT at larger epsilon",
        "ours: so it does on the made-up users of films for epsilon = 2 to 4",
        lambda cache, quick: _always_best(LATER, cache, quick),
    ),
    marginal_claim(
        "INPHT with least squares for all",
        "ours: so it does where all systems estimate by least squares and INPHT draws coefficients by square roots (k "
        ">= 2, uniform shares)",
        _with_least_squares,
    ),
    marginal_claim(
        "CALM against INPHT",
        "CALM is more accurate than INPHT (section 4.6.1; its linear estimates, least squares, against INPHT as "
        "published; exact, uniform shares, d = 4 to 16, k = 2 and 3, epsilon = 0.4 to 2)",
        _covering(SIX[INPHT], consistent=False),
    ),
    marginal_claim(
        "CALM against the better draw",
        "ours: so it is where INPHT draws coefficients by square roots (as above)",
        _covering("inpht", consistent=True),
    ),
    marginal_claim(
        "draws of coefficients",
        "ours: drawing coefficients by the square roots of how often the tables need them leaves of the variance "
        + ", ".join(f"{left:.2f} (d = {d}, k = {k})" for (d, k), left in DRAWS.items())
        + " (exact, e^epsilon = 3)",
        _draws,
    ),
)
