"""Claims about figure 6.1: quoted probabilities of optimal mechanisms without properties."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.mechanism.mechanism import Mechanism
from mechdesign_figures.claims.claim import EXPERIMENTS, Claim
from mechdesign_figures.claims.verdict import Case, Finding, judge, setting, shown, spans
from mechdesign_figures.studies.design_cache import DesignCache

CAPTION = Fraction(62, 100)


@dataclass(frozen=True)
class Quoted:
    """A quoted sentence: `outputs` together have at least `least` on every input (more if `strictly`)."""

    n: int
    loss: str
    outputs: tuple[int, ...]
    least: Fraction
    strictly: bool = False

    def share(self, mechanism: Mechanism) -> Fraction:
        """Return the smallest probability of the outputs over all inputs."""
        return min(
            sum((mechanism.fraction(i, j) for i in self.outputs), Fraction(0)) for j in range(mechanism.n_inputs)
        )

    def holds(self, share: Fraction) -> bool:
        """Return whether the sentence is true of a probability."""
        return share > self.least if self.strictly else share >= self.least


def _measured(quoted: Quoted) -> Callable[[DesignCache, bool], Finding]:
    def share(cache: DesignCache, alpha: Fraction) -> Fraction:
        return quoted.share(cache.mechanism("UCM", quoted.n, alpha, quoted.loss))

    def measure(cache: DesignCache, quick: bool) -> Finding:
        own = share(cache, CAPTION)
        outputs = " or ".join(map(str, quoted.outputs))
        numbers = f"{outputs} with at least {shown(own)}"
        tried = [Fraction(hundredths, 100) for hundredths in range(50, 100, 5 if quick else 1)]
        found = [alpha for alpha in tried if quoted.holds(share(cache, alpha))]
        grid = f"from {float(tried[0]):g} to {float(tried[-1]):g} in steps of {float(tried[1] - tried[0]):g}"
        note = f"at alpha {grid} it is so at: {spans(tried, found)}"
        return judge([Case(setting(quoted.n, CAPTION), quoted.holds(own), numbers)], note=note)

    return measure


CLAIMS = (
    Claim(
        "figure 6.1, L1",
        EXPERIMENTS,
        "Figure 6.1: at alpha = 0.62 the best mechanism for n = 7 and L1 reports 2 or 5 with probability at least 0.7, "
        "whatever the input",
        _measured(Quoted(7, "L1", (2, 5), Fraction(7, 10))),
    ),
    Claim(
        "figure 6.1, L2",
        EXPERIMENTS,
        "Figure 6.1: at alpha = 0.62 the best mechanism for n = 4 and L2 always reports 2",
        _measured(Quoted(4, "L2", (2,), Fraction(1))),
    ),
    Claim(
        "figure 6.1, L0:1",
        EXPERIMENTS,
        "Figure 6.1: at alpha = 0.62 the best mechanism for n = 5 and L0:1 reports 1 or 4 with probability over 0.9, "
        "whatever the input",
        _measured(Quoted(5, "L0:1", (1, 4), Fraction(9, 10), strictly=True)),
    ),
)
