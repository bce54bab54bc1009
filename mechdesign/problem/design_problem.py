"""The design problem: requirements on a mechanism, and the score to minimise."""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from mechdesign.arguments import checked
from mechdesign.errors import InputError
from mechdesign.problem.loss import Loss
from mechdesign.problem.losses.family import IntegerRows, Matrix
from mechdesign.problem.model import Model
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.prior import Prior
from mechdesign.problem.privacy import Privacy, chosen_privacy, loss_above
from mechdesign.problem.properties import find_property, ordered, parse_properties, without_implied
from mechdesign.problem.property import Property
from mechdesign.problem.step_alpha import StepAlpha
from mechdesign.rational import LONGEST_RATIO, Number, over_common_denominator

AGGREGATES = ("expected", "worst")

STEP_BITS = 26
"""`alpha^unit` is enclosed this tightly, and as many bits more as the largest distance has in units."""


@dataclass(frozen=True, init=False)
class DesignProblem:
    """The problem of designing a mechanism: for a count over `n` people, or for any `Model`.

    Minimise the expected loss `O = sum_j w_j sum_i P[i,j] loss(i,j)`, or the worst case
    `O = max_j sum_i P[i,j] loss(i,j)`, over column-stochastic matrices P that are alpha-DP for neighbouring inputs and
    have the asked properties.

    Args:
        n: number of people in a group, at least 1; inputs and outputs are the counts 0..n.
        alpha: `exp(-epsilon)` in (0, 1), a decimal or fraction (`"0.9"`, `"9/10"`, `0.9`, `Fraction(9, 10)`).
        epsilon: instead of alpha; designs are private at a rational alpha just above exp(-epsilon), and bounds are
            proved for one just below.
        privacy: instead of alpha and epsilon.
        properties: any of RH, RM, CH, CM, F, FE, WH, WH:BETA, S and OS:BETA, as `"WH,CM"` or an iterable.
        loss: `"Lp"`, `"Lp:d"`, `"PB:TAU"` or a `Loss`.
        prior: `"uniform"`, `"binomial:P"`, `"weights:W,W,..."` or a `Prior`; not for the worst case, which has none.
        model: instead of n, `Model.ldp(k)`, `Model.lldp(k, radius)` or `Model.metric(distances)`; inputs are 0..k-1.
        aggregate: `"expected"` or `"worst"`.
        step: for a metric, the rationals that enclose `alpha^unit` (asked by epsilon: `exp(-epsilon unit)`); found
            where it is left out.

    Raises:
        InputError: for a value out of range, naming it.

    >>> DesignProblem(n=8, alpha="0.9", properties="WH,CM").alpha
    Fraction(9, 10)
    >>> DesignProblem(model=Model.ldp(4), alpha="1/2").describe()
    'LDP, k = 4, alpha = 0.5, no properties, loss L0, prior uniform'
    """

    model: Model
    privacy: Privacy
    properties: frozenset[str]
    loss: Loss
    prior: Prior
    aggregate: str
    step: StepAlpha

    @checked
    def __init__(
        self,
        n: int | None = None,
        alpha: Number | None = None,
        *,
        epsilon: Number | None = None,
        privacy: Privacy | None = None,
        properties: str | Iterable[str] = (),
        loss: str | Loss = "L0",
        prior: str | Prior | None = None,
        model: Model | None = None,
        aggregate: str = "expected",
        step: StepAlpha | None = None,
    ) -> None:
        object.__setattr__(self, "model", _choose_model(n, model))
        object.__setattr__(self, "privacy", chosen_privacy(alpha, epsilon, privacy))
        object.__setattr__(self, "properties", parse_properties(properties))
        object.__setattr__(self, "loss", Loss.parse(loss) if isinstance(loss, str) else loss)
        given = "uniform" if prior is None else prior
        object.__setattr__(self, "prior", Prior.parse(given) if isinstance(given, str) else given)
        if not isinstance(self.loss, Loss) or not isinstance(self.prior, Prior):
            raise InputError("loss and prior must be texts, or made by Loss.from_matrix and Prior.from_weights")
        if aggregate not in AGGREGATES:
            raise InputError(f"aggregate must be expected or worst, got aggregate={aggregate}")
        object.__setattr__(self, "aggregate", aggregate)
        if self.is_worst_case and self.prior.name != "uniform":
            raise InputError(f"the worst case must have no prior, got prior={self.prior.name}; leave it out")
        self.loss.check(self.size)
        self.prior.check(self.size)
        object.__setattr__(self, "step", self._enclosed(STEP_BITS) if step is None else self._checked(step))
        if self.model.distances is not None and self.ratio_bits > LONGEST_RATIO:
            raise InputError(
                f"step_alpha must have at most {LONGEST_RATIO} bits over the longest edge, got {self.ratio_bits}; "
                f"a larger unit or a shorter alpha has fewer"
            )

    @property
    def size(self) -> int:
        """Number of inputs, and of outputs."""
        return self.model.size

    @property
    def alpha(self) -> Fraction:
        """The privacy parameter of a design: `exp(-epsilon)`, or just above it where epsilon was asked for."""
        return self.privacy.alpha

    @property
    def n(self) -> int:
        """The largest input; for counts the number of people."""
        return self.size - 1

    @property
    def epsilon(self) -> float:
        """The privacy parameter epsilon, `-ln(alpha)`, never below it."""
        return loss_above(self.alpha)

    @property
    def graph(self) -> NeighbourGraph:
        """The graph of neighbouring inputs, with their distances."""
        return self.model.graph

    @property
    def step_alpha(self) -> Fraction:
        """The ratio over an edge of length 1, at which a design is private: alpha; for a metric at least alpha^unit."""
        return self.step.high

    @property
    def step_alpha_below(self) -> Fraction:
        """The ratio over an edge of length 1 at which a bound is proved: alpha; for a metric at most alpha^unit.

        Asked by epsilon it is at most `exp(-epsilon)`, or that to the power of the unit.
        """
        return self.step.low

    @property
    def ratio_bits(self) -> int:
        """The bits of a ratio of privacy over the longest edge: those of one step, times the edge's length."""
        bits = max(value.denominator.bit_length() for value in (self.step.low, self.step.high))
        return bits * max((length for _, _, length in self.graph.edges or ()), default=1)

    def with_step_bits(self, bits: int) -> "DesignProblem":
        """Return the same problem with `alpha^unit` enclosed to so many bits, and those for the largest distance.

        Asked by epsilon, its alpha is as near to `exp(-epsilon)`.
        """
        finer = copy(self)
        object.__setattr__(finer, "privacy", self.privacy.finer(self._step_bits(bits)))
        object.__setattr__(finer, "step", finer._enclosed(bits))
        return finer

    @property
    def at_alpha(self) -> "DesignProblem":
        """The same problem with the alpha of its designs as given; itself where alpha was, and for a metric."""
        if self.privacy.is_exact or self.model.distances is not None:
            return self
        return self.with_privacy(self.privacy.at_alpha)

    def with_privacy(self, privacy: Privacy) -> "DesignProblem":
        """Return the same problem for another privacy parameter."""
        other = copy(self)
        object.__setattr__(other, "privacy", privacy)
        object.__setattr__(other, "step", other._enclosed(STEP_BITS))
        return other

    def with_aim(self, loss: Loss, prior: str | Prior | None = None, aggregate: str = "expected") -> "DesignProblem":
        """Return the problem of another loss, prior and aggregate with the same demands on the mechanism."""
        return DesignProblem(
            model=self.model,
            privacy=self.privacy,
            properties=self.properties,
            loss=loss,
            prior=prior,
            aggregate=aggregate,
            step=None if self.model.distances is None else self.step,
        )

    def _step_bits(self, bits: int) -> int:
        return bits + int(self.graph.distances.max()).bit_length()

    def _enclosed(self, bits: int) -> StepAlpha:
        privacy = self.privacy
        if self.model.distances is None:
            return StepAlpha(privacy.bound_alpha, privacy.alpha)
        ends = {
            alpha: StepAlpha.around(alpha, self.model.unit, self._step_bits(bits))
            for alpha in (privacy.bound_alpha, privacy.alpha)
        }
        return StepAlpha(ends[privacy.bound_alpha].low, ends[privacy.alpha].high)

    def _checked(self, step: StepAlpha) -> StepAlpha:
        if self.model.distances is None and step != self._enclosed(STEP_BITS):
            raise InputError(f"step must be alpha itself for the model {self.model.name}, got {step}")
        return step.checked(self.privacy.bound_alpha, self.privacy.alpha, self.model.unit)

    @property
    def is_worst_case(self) -> bool:
        """Whether the largest loss over the inputs is minimised, and not the expected one."""
        return self.aggregate == "worst"

    @property
    def rescaling(self) -> Fraction:
        """The factor from the loss to the score."""
        return self.loss.rescaling(self.size)

    @cached_property
    def whole_cost(self) -> tuple[IntegerRows, int]:
        """The coefficients `w_j loss(i,j)` as integers over one denominator; the expected loss is their sum with P."""
        if self.is_worst_case:
            raise AssertionError("the worst case has no cost of single entries")
        weights, weights_denominator = over_common_denominator(self.prior.weights(self.size))
        rows, denominator = self.loss.integers(self.size)
        return [[w * x for w, x in zip(weights, row, strict=True)] for row in rows], weights_denominator * denominator

    @cached_property
    def cost(self) -> Matrix:
        """The coefficients `cost[i][j] = w_j loss(i,j)`; the expected loss is `sum_ij cost[i][j] P[i,j]`."""
        rows, denominator = self.whole_cost
        shares = {value: Fraction(value, denominator) for row in rows for value in row}
        return tuple(tuple(shares[value] for value in row) for row in rows)

    @cached_property
    def required(self) -> tuple[Property, ...]:
        """The required properties, in the order in which they are shown."""
        return tuple(find_property(name) for name in ordered(self.properties))

    @cached_property
    def needed(self) -> tuple[Property, ...]:
        """The required properties without those that others of them imply."""
        return tuple(find_property(name) for name in ordered(without_implied(self.properties)))

    @cached_property
    def asks_rotation(self) -> bool:
        """Whether an asked property says that P equals its rotation, `P[i,j] = P[n-i,n-j]`."""
        return any(prop.is_rotation for prop in self.required)

    @cached_property
    def floor(self) -> Fraction:
        """The least value allowed on the diagonal by a floor that no other asked property implies; 0 without one."""
        return max((prop.floor for prop in self.needed), default=Fraction(0)) / self.size

    @cached_property
    def has_even_prior(self) -> bool:
        """Whether every input counts the same."""
        weights = self.prior.weights(self.size)
        return weights.count(weights[0]) == len(weights)

    @cached_property
    def symmetry_is_free(self) -> bool:
        """Whether S can be added at no cost in score.

        It can where nothing that is asked changes under i -> n-i: the mean of P and its rotation then serves as well as
        P.
        """
        weights = self.prior.weights(self.size)
        return (
            self.graph.is_symmetric
            and self.loss.is_symmetric(self.size)
            and weights == weights[::-1]
            and all(prop.keeps_rotation for prop in self.required)
        )

    def describe(self) -> str:
        """Describe the problem in one line: model, alpha, properties, loss, prior."""
        return self.describe_at(self.privacy.parameter_text())

    def describe_at(self, parameter: str) -> str:
        """Describe the problem with other words for its privacy parameter."""
        asked = ", ".join(ordered(self.properties)) or "no properties"
        return f"{self.model.describe()}, {parameter}, {asked}, {self.aim}"

    @property
    def aim(self) -> str:
        """What it has least of, in words: the loss, and the prior or the worst case."""
        return f"loss {self.loss.name}, {'worst case' if self.is_worst_case else f'prior {self.prior.name}'}"


def _choose_model(n: int | None, model: Model | None) -> Model:
    if (n is None) == (model is None):
        raise InputError(f"exactly one of n and model must be given, got {'neither' if n is None else 'both'}")
    if model is None:
        assert n is not None
        return Model.count(n)
    if not isinstance(model, Model):
        raise InputError(f"model must be made by Model.ldp, Model.lldp or Model.metric, got {model!r}")
    return model
