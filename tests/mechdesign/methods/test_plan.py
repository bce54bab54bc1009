"""The protocol: a method that registers itself is planned, tried and refused like the others."""

import ast
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from cases import require_certified
from wording import refused

from mechdesign import DesignProblem, InputError, NotCertifiedError, RefusedError, WorkloadProblem, design
from mechdesign import designs as designing
from mechdesign.certificate.proof import dual_certificate
from mechdesign.methods import plan as planning
from mechdesign.methods import registry
from mechdesign.methods.answer import Answer
from mechdesign.methods.method import WorkEstimate
from mechdesign.methods.plan import make_plan
from mechdesign.workloads.ordered import Prefixes

PROBLEM = DesignProblem(5, "9/10", properties="WH", loss="L1")
BEST = design(PROBLEM, method="full")
UNSOUND = design(DesignProblem(5, "1/2"))
SMALL, HUGE = WorkEstimate(1, 1, 1), WorkEstimate(1, 10**9, 10**18)


@dataclass
class Rehearsed:
    """Answers that were written down before; it notes when it is asked for them."""

    name: str = "rehearsed"
    family: str = "rehearsed"
    takes_solver: bool = False
    late_obstacle: str | None = None
    hindrance: str | None = None
    misgiving: str | None = None
    cost: WorkEstimate = SMALL
    lines: tuple[Answer, ...] = ()
    error: Exception | None = None
    asked: int = 0

    def obstacle(self, problem):
        return self.hindrance

    def reason(self, problem):
        return "it has been rehearsed"

    def doubt(self, problem):
        return self.misgiving

    def estimate(self, problem):
        return self.cost

    def answers(self, problem, effort):
        self.asked += 1
        if self.error:
            raise self.error
        yield from self.lines


def answer_of(result, **kind):
    return Answer(result.mechanism, result.certificate, "rehearsed", **kind)


def widened(result):
    """The same mechanism, with a bound so poor that the gap is not 0."""

    halved = replace(result.certificate, scale=2 * result.certificate.scale)
    return Answer(result.mechanism, halved, "halved", is_proposal=True)


@pytest.fixture
def register(monkeypatch):
    def add(*first, last=()):
        monkeypatch.setattr(registry, "METHODS", (*first, *registry.METHODS, *last))
        return first[0] if first else None

    return add


def test_a_method_that_is_registered_is_found(register):
    register(Rehearsed(lines=(answer_of(BEST),)))
    plan = make_plan(PROBLEM)
    assert plan.order[0].name == plan.options[0].method.name == "rehearsed"
    assert plan.options[0].reason == "it has been rehearsed"
    for method in ("auto", "rehearsed"):
        result = design(PROBLEM, method=method)
        require_certified(result)
        assert (result.method, result.score) == ("rehearsed", BEST.score)
    with refused(InputError, about="method"):
        design(PROBLEM, method="improvised")
    with refused(InputError):
        design(PROBLEM, method="closed-form")
    with refused(InputError, about="solver"):
        design(PROBLEM, method="rehearsed", solver="cvxpy:CLARABEL")


def test_a_method_with_an_obstacle_is_refused_with_those_that_can(register):
    method = register(Rehearsed(hindrance="the stage is dark"))
    with refused(InputError):
        design(PROBLEM, method="rehearsed")
    assert design(PROBLEM).method != "rehearsed"
    assert method.asked == 0


def test_a_method_that_takes_solvers_is_tried_with_one(register):
    register(Rehearsed(takes_solver=True, lines=(answer_of(BEST),)))
    assert design(PROBLEM, solver="cvxpy:CLARABEL").method == "rehearsed"
    with refused(InputError, about="solver"):
        design(PROBLEM, method="closed-form", solver="cvxpy:CLARABEL")


def test_auto_takes_one_method_of_a_family(register):
    twin = Rehearsed("twin", lines=(answer_of(BEST),))
    register(Rehearsed(), twin)
    assert [method.name for method in make_plan(PROBLEM).order[:2]] == ["rehearsed", "closed-form"]
    assert design(PROBLEM, method="twin").method == "twin"
    assert [method.name for method in make_plan(PROBLEM).order].count("full") == 0


def test_auto_leaves_out_a_method_in_doubt(register):
    register(Rehearsed(misgiving="it stammers", lines=(answer_of(BEST),)))
    assert "rehearsed" not in [method.name for method in make_plan(PROBLEM).order]
    assert make_plan(PROBLEM).options[0].doubt == "it stammers"
    assert design(PROBLEM, method="rehearsed").method == "rehearsed"


def test_proposals_are_passed_over_until_one_is_proved(register):
    unsound, loose = answer_of(UNSOUND, is_proposal=True), widened(BEST)
    method = register(Rehearsed(lines=(unsound, loose, answer_of(BEST, is_proposal=True))))
    result = design(PROBLEM, method="rehearsed")
    assert (result.how, result.gap) == ("rehearsed", 0)
    method.lines = (unsound, loose)
    assert design(PROBLEM).method == "symmetric"
    with refused(NotCertifiedError):
        design(PROBLEM, method="rehearsed")
    method.late_obstacle = "the prompter fell ill"
    with refused(InputError):
        design(PROBLEM, method="rehearsed")


def test_an_answer_that_was_searched_for_must_be_sound_and_narrow(register):
    method = register(Rehearsed(lines=(answer_of(UNSOUND),)))
    with refused(RefusedError):
        design(PROBLEM)
    method.lines = (replace(widened(BEST), is_proposal=False),)
    with refused(NotCertifiedError):
        design(PROBLEM)


def nearly(result):
    """An answer whose bound falls short by a billionth."""

    rows, prices, scale = result.certificate["rows"], result.certificate["prices"], result.certificate.scale
    most = 10**9 - 1
    fewer = dual_certificate([(*row[:5], most * row[5]) for row in rows], 10**9 * scale, [most * y for y in prices])
    return Answer(result.mechanism, fewer, "nearly", may_improve=True)


def test_an_answer_that_may_improve_is_kept_where_nothing_later_is_exact(register, monkeypatch):
    method = register(Rehearsed(lines=(nearly(BEST),)))
    huge = Rehearsed("huge", "huge", cost=replace(HUGE, memory=1), lines=(answer_of(BEST),))
    poor = Rehearsed("poor", "poor", lines=(replace(nearly(BEST), may_improve=False),))
    failing = Rehearsed("failing", "failing", error=NotCertifiedError("not certified: fell off the stage"))
    exact = Rehearsed("exact", "exact", lines=(answer_of(BEST),))
    monkeypatch.setattr(registry, "METHODS", (method, huge, poor, failing))
    kept = design(PROBLEM)
    assert (kept.method, kept.status) == ("rehearsed", "certified")
    assert (huge.asked, poor.asked, failing.asked) == (0, 1, 1)
    monkeypatch.setattr(registry, "METHODS", (method, huge, poor, failing, exact))
    assert (design(PROBLEM).method, design(PROBLEM).status) == ("exact", "exact")
    assert design(PROBLEM, method="rehearsed").method == "rehearsed"


def test_column_generation_without_an_answer_names_what_can_go_on(monkeypatch):
    monkeypatch.setattr(
        "mechdesign.methods.column_generation.solve.generate_columns", lambda problem, exact, clock: None
    )
    with refused(NotCertifiedError):
        design(PROBLEM, method="column-generation")
    assert design(PROBLEM).method == "symmetric"


def test_what_does_not_fit_is_said_when_the_rest_found_nothing(monkeypatch):
    small, huge = Rehearsed(lines=(widened(BEST),)), Rehearsed("huge", "huge", cost=HUGE)
    monkeypatch.setattr(registry, "METHODS", (small, huge))
    with refused(InputError):
        design(PROBLEM)
    assert (small.asked, huge.asked) == (1, 0)


def test_a_closed_form_loads_no_solver():
    code = (
        "import sys; from mechdesign import DesignProblem, design; "
        "result = design(DesignProblem(8, '0.9')); "
        "print(result.method, 'highspy' in sys.modules)"
    )
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert seen.stdout.split() == ["closed-form", "False"]


@pytest.mark.parametrize("module", [designing, planning])
def test_no_method_is_named_where_methods_are_looped_over(module):
    names = {method.name for method in registry.METHODS}
    tree = ast.parse(Path(module.__file__).read_text())
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert len(texts) > 10
    assert not names & {word for text in texts for word in re.findall(r"[\w-]+", text)}


def test_a_plan_is_of_methods_for_square_designs():
    with refused(InputError, about="problem"):
        make_plan(WorkloadProblem(Prefixes(3), alpha="1/3"))


@pytest.mark.parametrize(
    ("properties", "loss", "n", "alpha", "measured"),
    [
        ("RM,CM,F", "L2", 100, "0.9", 0.2),
        ("RM,CM,F", "L2", 140, "0.9", 0.42),
        ("WH,F", "L2", 128, "0.9", 0.15),
        ("WH,CM", "L1", 128, "0.9", 0.11),
        ("WH,CM", "L1", 128, "0.99", 4.2),
        ("WH,RM,CM", "L2", 128, "0.97", 3.8),
        ("WH,CM", "L1", 200, "0.99", 34),
        ("WH,CM", "L1", 256, "0.9", 0.5),
        ("WH,RM,CM", "L1", 128, "0.9", 0.15),
        ("WH,RM,CM", "L0", 128, "0.95", 1.6),
    ],
)
def test_estimates_are_within_a_factor_three_of_seconds_measured(
    properties: str, loss: str, n: int, alpha: str, measured: float
) -> None:
    """Processor seconds of `mechdesign solve`, without those of its import, on the core that the estimates are of."""
    problem = DesignProblem(n, alpha, properties=properties, loss=loss)
    assert measured / 3 <= make_plan(problem).seconds[1] <= 3 * measured


@pytest.mark.parametrize(
    ("n", "properties", "options", "measured"),
    [(96, "CM", {"aggregate": "worst"}, 2.6), (64, "WH,CM", {"prior": "binomial:0.3"}, 1.7)],
)
def test_estimates_know_how_far_a_prior_leads_from_the_geometric_mechanism(
    n: int, properties: str, options: dict[str, str], measured: float
) -> None:
    problem = DesignProblem(n, "0.9", properties=properties, loss="L1", **options)
    assert measured / 3 <= make_plan(problem).seconds[1] <= 3 * measured


@pytest.mark.parametrize("n", [8, 128, 512, 1000])
def test_closed_forms_come_first_at_every_size(n):
    assert planning.make_plan(DesignProblem(n, "9/10", loss="L2")).order[0].name == "closed-form"
