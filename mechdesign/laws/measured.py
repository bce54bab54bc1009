"""A law of one size, measured by a loss that it does not minimise: from above by itself, from below by a bound."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from mechdesign.errors import InputError, argument
from mechdesign.laws.finding import find_law
from mechdesign.laws.geometric_losses import bulk_rest, fair_rest, least_mean_rest
from mechdesign.laws.law import Law, power_enclosed
from mechdesign.laws.problem import MATRIX, POWERS, LawProblem, no_law
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.mechanism.layered import LayeredMechanism
from mechdesign.problem.loss import Loss
from mechdesign.problem.losses.power import PowerLoss
from mechdesign.problem.privacy import Privacy
from mechdesign.program.clock import Clock

LAW_LOSS = Loss.parse("L0")


@dataclass(frozen=True)
class MeasuredLaw:
    """The law for L0 with some properties, at one size, measured by L0:d, L1 or L2 in the mean or in the worst case.

    Its score is an upper end and a bound the lower one; nothing says that the law is the best.

    Args:
        privacy: alpha or epsilon.
        properties: what the law must have, as for `LawProblem`.
        loss: `L0:d`, L1 or L2.
        is_worst: whether the largest loss of any true count is meant, not the mean over all.
        n: number of people.
        time_limit: seconds for the law.

    Raises:
        InputError: for another loss, or properties that no law has.
    """

    privacy: Privacy
    properties: frozenset[str]
    loss: Loss
    is_worst: bool
    n: int
    time_limit: float | None = None

    def __post_init__(self) -> None:
        if not self.loss.counts_errors and self.loss.name not in POWERS:
            name = argument("loss")
            raise InputError(f"{name} beyond matrices must be L0:d, L1 or L2, got {name}={self.loss.name}; {MATRIX}")
        obstacle = no_law(self.properties, LAW_LOSS)
        if obstacle:
            raise InputError(obstacle)

    @cached_property
    def law(self) -> Law:
        """The law, which is found when it is first asked for."""
        law = find_law(LawProblem(self.privacy, self.properties, LAW_LOSS), Clock(self.time_limit))
        law.require_size(self.n)
        return law

    @cached_property
    def score(self) -> Fraction:
        """What the law scores, or what its score does not exceed.

        Exact for L0:d; else the worst count's loss, which is not below the mean either.
        """
        power, beyond = power_and_beyond(self.loss)
        if self.loss.counts_errors:
            error = self.law.error_beyond(beyond, self.n)
            return self._rescaling * (error.worst if self.is_worst else error.mean)[1]
        found = self.law.mechanism
        if isinstance(found, FairMechanism):
            diagonal = 1 - self.law.score(self.n)[0] * self.n / (self.n + 1)
            return diagonal * fair_rest(found.alpha, power, 0)
        return worst_loss(found, power, self.n)

    @cached_property
    def lower_bound(self) -> Fraction:
        """What no mechanism scores below, with these properties or without."""
        alpha, (power, beyond) = self.privacy.bound_alpha, power_and_beyond(self.loss)
        rest = self._rescaling * least_mean_rest(alpha, power, beyond, self.n)
        return rest * power_enclosed(alpha, beyond + 1)[0]

    @property
    def _rescaling(self) -> Fraction:
        return self.loss.rescaling(self.n + 1)

    @property
    def how(self) -> str:
        """How the score was reached."""
        by = "the count that loses most" if self.is_worst or not self.loss.counts_errors else "the mean loss"
        return f"{self.law.shape}, the best law for L0, judged by {by}"

    @property
    def method(self) -> str:
        """The name of the law's method."""
        return self.law.method


def power_and_beyond(loss: Loss) -> tuple[int, int]:
    """Return p and d of `Lp:d`."""
    assert isinstance(loss.family, PowerLoss)
    return loss.family.power, loss.family.tolerance or 0


def worst_loss(found: LayeredMechanism, power: int, n: int) -> Fraction:
    """Return what no count of a group of n loses more than, by L1 or L2.

    Of the counts j <= n/2, which the others mirror, those below the depth b lose what the table says, and the others
    `s + a^(j-b+1) G(j)`: in the outputs below b the table stands for what the geometric mechanism has there. Both have
    the same mass, so that G is linear. The far layer holds at most `a^(n/2-b+1)`, and costs at most `n^p`.
    """
    (table, unit), a, b = found.table(n), found.alpha, found.depth

    def near(j: int) -> Fraction:
        """Return what column j loses in the outputs below b, from j = b on over `a^(j-b+1)`."""
        column = min(j, b - 1)
        return Fraction(sum(row[column] * abs(i - j) ** power for i, row in enumerate(table)), unit)

    def beside(start: int) -> Fraction:
        """Return the losses of the outputs at the distances from `start` on, on one side, over `a^start`."""
        return bulk_rest(a, power, start - 1) / 2

    def excess(j: int) -> Fraction:
        return near(j) - beside(j - b + 1)

    middle, j = a * bulk_rest(a, power, 0), b
    largest = max([middle, *(near(j) + a ** (b - j) * beside(b - j) for j in range(b))])
    while True:
        here, after = excess(j), excess(j + 1)
        largest = max(largest, middle + a ** (j - b + 1) * here)
        if after <= (here / a if here > 0 else here):  # and so from here on
            break
        j += 1
    far = (n + 1) // 2 - b + 1
    cost: int = n**power
    return largest + cost * power_enclosed(a, max(0, far))[1]
