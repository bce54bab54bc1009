"""The plan for a problem: the methods to try, their order, and the reasons."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

from mechdesign.arguments import checked
from mechdesign.errors import InputError, NotCertifiedError
from mechdesign.machine import memory_limit, readable_bytes
from mechdesign.methods import registry
from mechdesign.methods.method import OWN_SOLVER, Method, WorkEstimate
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.solvers.choice import choose_solver

LITTLE_MEMORY = 5_000_000
"""Bytes that a machine has on which this runs: it is not asked whether it does."""

AUTO = "auto"
"""Instead of a method's name: whichever serves, from the fastest on."""


@dataclass(frozen=True)
class Option:
    """A method's answer whether it serves, with the reason.

    It also says why `auto` leaves the method out nevertheless.
    """

    method: Method
    problem: DesignProblem
    obstacle: str | None

    @classmethod
    def of(cls, method: Method, problem: DesignProblem) -> "Option":
        """Ask a method about a problem."""
        return cls(method, problem, method.obstacle(problem))

    @property
    def serves(self) -> bool:
        """Whether the method has no obstacle."""
        return self.obstacle is None

    @property
    def reason(self) -> str:
        """The obstacle, or why the method can serve."""
        return self.method.reason(self.problem) if self.obstacle is None else self.obstacle

    @property
    def doubt(self) -> str | None:
        """Why `auto` leaves the method out although it can serve; None where it takes it, or cannot."""
        return self.method.doubt(self.problem) if self.serves else None

    @cached_property
    def estimate(self) -> WorkEstimate:
        """What the method would take, worked out when it is asked for."""
        return self.method.estimate(self.problem)

    @cached_property
    def fits_memory(self) -> bool:
        """Whether the method would fit the memory of this machine."""
        return self.estimate.memory <= LITTLE_MEMORY or self.estimate.memory <= memory_limit()


@dataclass(frozen=True)
class Plan:
    """The methods considered: those to try, in order, and those without enough memory."""

    options: tuple[Option, ...]
    order: tuple[Method, ...]
    why: str
    too_large: tuple[Option, ...] = ()

    @property
    def seconds(self) -> tuple[float, float]:
        """Estimate the seconds if the first method serves, and if all do up to the first that is sure to end."""
        tried = {option.method.name: option.estimate.seconds for option in self.options if option.method in self.order}
        sure = next((place for place, way in enumerate(self.order) if way.late_obstacle is None), len(self.order) - 1)
        return tried[self.order[0].name], sum(tried[way.name] for way in self.order[: sure + 1])

    def give_up(self) -> NoReturn:
        """Say why nothing came out of this plan.

        Raises:
            InputError: what is left does not fit the memory, or the last method cannot serve after all.
            NotCertifiedError: the last method ended without a proof.
        """
        if self.too_large:
            _refuse_size(self.too_large)
        last = self.order[-1]
        untried = [option.method for option in self.options if option.serves and option.method not in self.order]
        if last.late_obstacle is not None:
            raise InputError(_cannot_serve(last, last.late_obstacle, untried))
        surer = [method for method in untried if method.late_obstacle is None]
        way_out = f"; try --method {_listed(surer, 'or')}" if surer else ""
        raise NotCertifiedError(f"not certified: {last.name} ended without a proof{way_out}")


@checked
def make_plan(problem: DesignProblem, method: str = AUTO, solver: str = OWN_SOLVER) -> Plan:
    """Plan which methods `design` tries for a problem.

    Raises:
        InputError: for a method or solver that does not exist, a method that cannot serve the problem (naming those
            that can), and a problem that does not fit the memory.
    """
    return plan_of(problem, method, solver)


def plan_of(problem: DesignProblem, method: str, solver: str) -> Plan:
    """Plan as `make_plan`, for arguments of the right types."""
    if not isinstance(problem, DesignProblem):
        raise InputError(f"problem must be a DesignProblem, got {type(problem).__name__}; methods are of those alone")
    names = [known.name for known in registry.METHODS]
    if method != AUTO and method not in names:
        raise InputError(f"method must be {AUTO}, {', '.join(names)}, got method={method}")
    options = tuple(Option.of(known, problem) for known in registry.METHODS)
    own_solver = solver.lower() == OWN_SOLVER
    if not own_solver:
        choose_solver(solver)  # says which there are
    if method != AUTO:
        return _asked_for(options, names.index(method), solver, own_solver)
    able = _first_of_each_family(o for o in options if o.serves and (own_solver or o.method.takes_solver))
    able = sorted((option for option in able if option.doubt is None), key=lambda option: option.estimate.seconds)
    require_memory(able)
    fitting = tuple(option.method for option in able if option.fits_memory)
    too_large = tuple(option for option in able if not option.fits_memory)
    why = "the fastest first, until one gives a certified answer"
    return Plan(options, fitting, why if own_solver else f"--solver {solver} solves LPs", too_large)


def _asked_for(options: tuple[Option, ...], place: int, solver: str, own_solver: bool) -> Plan:
    chosen = options[place]
    if not chosen.serves:
        others = [option.method for option in options if option.serves]
        raise InputError(_cannot_serve(chosen.method, chosen.reason, others))
    if not own_solver and not chosen.method.takes_solver:
        takers = _listed([option.method for option in options if option.method.takes_solver], "and")
        raise InputError(f"solver goes with the methods {takers}, got solver={solver} and method={chosen.method.name}")
    require_memory([chosen])
    return Plan(options, (chosen.method,), "asked for")


def _first_of_each_family(options: Iterable[Option]) -> list[Option]:
    first: dict[str, Option] = {}
    for option in options:
        first.setdefault(option.method.family, option)
    return list(first.values())


def _cannot_serve(method: Method, why: str, others: Sequence[Method]) -> str:
    way_out = f"; {_listed(others, 'and')} can" if others else ""
    return f"method {method.name} cannot serve this problem: {why}{way_out}"


def _listed(methods: Sequence[Method], word: str) -> str:
    """List the names of methods: `a, b and c`."""
    names = [method.name for method in methods]
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def require_memory(options: Sequence[Option]) -> None:
    """Refuse a problem for which none of the methods would fit.

    Raises:
        InputError: with the least of the estimates, and the way out.
    """
    if not any(option.fits_memory for option in options):
        _refuse_size(options)


def _refuse_size(options: Sequence[Option]) -> NoReturn:
    smallest = min(options, key=lambda option: option.estimate.memory)
    raise InputError(
        f"the problem must fit the memory ({readable_bytes(memory_limit())} of it may be used), got "
        f"{smallest.estimate.describe()} for method {smallest.method.name}; choose fewer inputs, or properties and a "
        f"loss with a closed form"
    )
