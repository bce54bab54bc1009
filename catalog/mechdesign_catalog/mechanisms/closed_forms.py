"""Closed forms by name, and their certificates."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.designs import Design, checked_design, design
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.answer import Answer
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair, explicit_fair_score
from mechdesign.methods.closed_forms.generalized_randomized_response import (
    generalized_randomized_response,
    generalized_randomized_response_score,
)
from mechdesign.methods.closed_forms.geometric import geometric, geometric_score
from mechdesign.methods.closed_forms.randomized_response import randomized_response, randomized_response_score
from mechdesign.methods.closed_forms.uniform import uniform, uniform_score
from mechdesign.methods.plan import make_plan
from mechdesign.names import require_known
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.properties import LATTICE
from mechdesign.rational import Number
from mechdesign_catalog.mechanisms.exponential import exponential, exponential_score


@dataclass(frozen=True)
class ClosedForm:
    """A mechanism that has a formula.

    `build(m, alpha)` gives the matrix and `score(m, alpha)` its L0 score under the uniform prior by formula, both
    exact; m is n for counts and k for the local model (`size_name`). `solves` are the properties of the problem that
    it is put forward for, `properties` says what it has and when, `always` names what it has at every size and alpha;
    `largest` is the largest n, None for any.
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
    always: frozenset[str] = frozenset()
    largest: int | None = None

    @property
    def size_name(self) -> str:
        """What the size is called: n for counts, k for the local model."""
        return "k" if self.model == "ldp" else "n"

    def problem(self, m: int, alpha: Fraction) -> DesignProblem:
        """Return the L0 problem, under the uniform prior, that this mechanism is put forward for.

        Raises:
            InputError: for a size that this mechanism is not made for.
        """
        if self.largest is not None and m > self.largest:
            raise InputError(f"n must be {self.largest} for {self.name}, got n={m}")
        model = Model.ldp(m) if self.model == "ldp" else Model.count(m)
        return DesignProblem(model=model, alpha=alpha, properties=self.solves)


CLOSED_FORMS: dict[str, ClosedForm] = {
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
            always=frozenset(LATTICE),
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
            always=frozenset(LATTICE),
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
            always=frozenset(LATTICE),
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
            "all always; optimal under L0 for the uniform prior or the worst case, with any properties",
            "Kairouz, Oh, Viswanath, JMLR 2016",
            generalized_randomized_response,
            generalized_randomized_response_score,
            always=frozenset(LATTICE),
        ),
    )
}


def closed_form(
    name: str,
    *,
    n: int | None = None,
    k: int | None = None,
    alpha: Number | None = None,
    epsilon: Number | None = None,
) -> Design:
    """Build a closed form as a certified design, with the bound of the optimum that it is compared with.

    Args:
        name: `GM`, `EM`, `UM`, `RR`, `EXP` or `GRR`; `CLOSED_FORMS` says what each has.
        n: people in a group; not needed for `RR`.
        k: items, for `GRR`, instead of n.
        alpha: in (0, 1), exact as given.
        epsilon: instead of alpha.

    Raises:
        InputError: for an unknown name, with the nearest known one, or a size that the form is not made for.

    >>> closed_form("GM", n=8, alpha="0.9").score
    Fraction(18, 19)
    """
    form = CLOSED_FORMS[require_known(name, CLOSED_FORMS, "mechanism")]
    return certified_form(form, form.problem(_size(form, n, k), Privacy(alpha, epsilon).alpha))


def _size(form: ClosedForm, n: int | None, k: int | None) -> int:
    """Choose n or k, whichever the form is made for; 1 where there is no choice."""
    given, other = (k, n) if form.size_name == "k" else (n, k)
    if other is not None:
        raise InputError(f"{form.name} must have {form.size_name}, got {'n' if form.size_name == 'k' else 'k'}={other}")
    if given is None and form.largest != 1:
        raise InputError(f"{form.size_name} must be given for {form.name}, got none; try {form.size_name} = 8")
    return 1 if given is None else given


def certified_form(form: ClosedForm, problem: DesignProblem) -> Design:
    """Certify a closed form for its problem, with the bound of that problem's optimum."""
    make_plan(problem)  # refuses what does not fit the memory
    started = time.perf_counter()
    size = problem.n if form.size_name == "n" else problem.size
    mechanism: Mechanism = form.build(size, problem.alpha)
    built = time.perf_counter()
    proof = design(problem).certificate
    solved = time.perf_counter()
    answer = Answer(mechanism, proof, f"closed form {form.name}")
    return checked_design(problem, answer, "catalog", started, solved, solved - built)
