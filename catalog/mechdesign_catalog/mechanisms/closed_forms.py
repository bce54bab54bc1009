"""What is on the shelf: closed forms by name."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair, explicit_fair_score
from mechdesign.methods.closed_forms.generalized_randomized_response import (
    generalized_randomized_response,
    generalized_randomized_response_score,
)
from mechdesign.methods.closed_forms.geometric import geometric, geometric_score
from mechdesign.methods.closed_forms.randomized_response import randomized_response, randomized_response_score
from mechdesign.methods.closed_forms.uniform import uniform, uniform_score
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign_catalog.mechanisms.exponential import exponential, exponential_score


@dataclass(frozen=True)
class ClosedForm:
    """One mechanism with a formula.

    `build(m, alpha)` gives the matrix and `score(m, alpha)` its L0 score under the uniform prior by formula, both
    exact; m is n for counts and k for the local model (`size_name`). `solves` are the properties of the problem that
    it is put forward for, `properties` says what it has and when; `largest` is the largest n, None for any.
    """

    name: str
    title: str
    model: str
    parameters: str
    properties: str
    reference: str
    build: Callable[[int, Fraction], Mechanism]
    score: Callable[[int, Fraction], Fraction]
    solves: frozenset[str] = frozenset()
    largest: int | None = None

    @property
    def size_name(self) -> str:
        return "k" if self.model == "ldp" else "n"

    def problem(self, m: int, alpha: Fraction) -> DesignProblem:
        """The L0 problem, uniform prior, that this mechanism is put forward for.

        Raises:
            InputError: for a size that this mechanism is not made for.
        """
        if self.largest is not None and m > self.largest:
            raise InputError(f"n must be {self.largest} for {self.name}, got n={m}")
        model = Model.ldp(m) if self.model == "ldp" else Model.count(m)
        return DesignProblem(model=model, alpha=alpha, properties=self.solves)


SHELF: dict[str, ClosedForm] = {
    form.name: form
    for form in (
        ClosedForm(
            "GM",
            "truncated geometric mechanism",
            "count",
            "n, alpha",
            "RH, RM, S always; WH iff n >= 2 alpha/(1-alpha); CH, CM iff alpha <= 1/2; everything at n = 1",
            "Ghosh, Roughgarden, Sundararajan, STOC 2009",
            geometric,
            geometric_score,
        ),
        ClosedForm(
            "EM",
            "explicit fair mechanism",
            "count",
            "n, alpha",
            "all always; optimal under L0 with F for any prior",
            "Cormode, Kulkarni, Srivastava, ICDE 2018",
            explicit_fair,
            explicit_fair_score,
            solves=frozenset({"F"}),
        ),
        ClosedForm(
            "UM",
            "uniform mechanism",
            "count",
            "n",
            "all always; says nothing about its input",
            "folklore",
            uniform,
            uniform_score,
        ),
        ClosedForm(
            "RR",
            "binary randomised response",
            "count, n = 1",
            "alpha",
            "all always; the same matrix as GM and EM at n = 1",
            "Warner, JASA 1965",
            randomized_response,
            randomized_response_score,
            largest=1,
        ),
        ClosedForm(
            "EXP",
            "exponential mechanism, quality -|i-j|",
            "count",
            "n, alpha (beta >= sqrt(alpha))",
            "RH, RM, CH, CM, WH, S always; F only at n = 1",
            "McSherry, Talwar, FOCS 2007",
            exponential,
            exponential_score,
        ),
        ClosedForm(
            "GRR",
            "generalised randomised response",
            "ldp",
            "k, alpha",
            "all always; optimal under L0, whatever is asked",
            "Kairouz, Oh, Viswanath, JMLR 2016",
            generalized_randomized_response,
            generalized_randomized_response_score,
        ),
    )
}
