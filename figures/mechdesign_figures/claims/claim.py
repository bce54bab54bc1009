"""The claim, and the settings in which claims are tried."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from mechdesign_figures.claims.verdict import Finding
from mechdesign_figures.studies.design_cache import DesignCache

THEOREMS = "theorems 8 to 13"
LEMMAS = "lemmas 11 to 15"
FACTS = "facts"
EXPERIMENTS = "experiments"
LOCAL = "local model (section 6.8)"
OURS = "a theorem of our own"
COMMUTING = "commuting (local frequency oracles)"
SEVERAL = "several attributes (Arcolezi, Couchot, Al Bouna and Xiao, CIKM 2021, and slides on it)"
TELEMETRY = "telemetry of few users (a study of dBitFlip and 1BitMean; Ding, Kulkarni and Yekhanin, NeurIPS 2017)"
RANGES = "ranges (chapter 5 of Kulkarni's thesis; Cormode, Kulkarni and Srivastava, VLDB 2019)"
MARGINALS = "marginals (chapter 4 of Kulkarni's thesis; Cormode, Kulkarni and Srivastava, SIGMOD 2018)"
OPTIMA = "optimality (several papers on local mechanisms, against certified optima)"
GROUPS = (
    THEOREMS,
    LEMMAS,
    FACTS,
    EXPERIMENTS,
    LOCAL,
    OURS,
    COMMUTING,
    SEVERAL,
    TELEMETRY,
    RANGES,
    MARGINALS,
    OPTIMA,
)


@dataclass(frozen=True)
class Claim:
    """A checkable claim of a study, in our words.

    `key` is its short name, `source` one of `GROUPS`; `measure(cache, quick)` tries it, `quick` in fewer settings.
    `needs` are the data that must be there, as `DesignCache.require` takes them.
    """

    key: str
    source: str
    statement: str
    measure: Callable[[DesignCache, bool], Finding]
    needs: tuple[str, ...] = ()


Setting = tuple[int, Fraction]


def alphas(quick: bool) -> list[Fraction]:
    """Return the alphas that are tried: on both sides of 1/2, and 1/2 itself."""
    texts = ("1/3", "1/2", "2/3", "9/10")
    return [Fraction(text) for text in (texts if quick else (*texts, "1/10", "31/50", "3/4", "10/11", "99/100"))]


def settings(quick: bool, largest: int = 12, smallest: int = 1) -> list[Setting]:
    """List every n up to `largest` (5 in the quick form), with every alpha."""
    top = min(largest, 5) if quick else largest
    return [(n, alpha) for n in range(smallest, top + 1) for alpha in alphas(quick)]


def threshold(alpha: Fraction) -> Fraction:
    """Return `2 alpha/(1 - alpha)`: the smallest n at which GM is weakly honest."""
    return 2 * alpha / (1 - alpha)
