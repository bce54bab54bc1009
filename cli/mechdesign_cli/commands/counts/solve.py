"""The command `mechdesign solve`: the design of one mechanism, exact."""

from functools import partial

from mechdesign.designs import design, require_counts, staged_method
from mechdesign.errors import InputError
from mechdesign.exports.writing import require_short_programs
from mechdesign.mechanism.layered import LARGEST_MATRIX
from mechdesign.methods.plan import make_plan
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.then import parse_then
from mechdesign.ties import find_ties
from mechdesign_cli.files.design_output import SolvedOutput
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import Inputs, Objective, files_read
from mechdesign_cli.parsing.laws import LawOptions, law_answers, law_python, plan_of_law, read_group_size, stated_law
from mechdesign_cli.python_text import ENGINE, Code, PythonText
from mechdesign_cli.record import Command, option
from mechdesign_cli.showing.designs import plan_document, plan_text, show_plan
from mechdesign_cli.showing.messages import print_result, say
from mechdesign_cli.showing.progress import line_a_minute


class Solve(Command):
    """Privacy, properties, score and gap to the best score are proved in integers before anything is shown or written.

    A .json file holds the proof as well. A .vipr file holds the linear program and the proof for other checkers.

    With --n any: one law, a mechanism for groups of every size. An n above 128 may get a law too, if its gap is at most
    1e-9 of the score. Above 4095 only a law can be designed.

    With --then L1: of all mechanisms with the least score one with the least L1; repeat it for what is to follow.

    Example: mechdesign solve --n 12 --alpha 0.9 --props WH,CM --output wm.json --plot wm.png

    Example: mechdesign solve --n any --alpha 0.9 --props WH,CM --output law.json

    Example: mechdesign solve --n 8 --alpha 3/4 --props WH,CM --then L1 --then L2

    Example: mechdesign solve --k 4 --epsilon 1 --output items.json
    """

    n: str | None = option("Number of people in a group, or any: one law for groups of every size.", metavar="N")
    k: options.DomainSize = None
    properties: options.Properties = "none"
    privacy: options.PrivacyOptions
    objective: Objective
    then: list[str] | None = option(
        "Of all that are best, the best by LOSS, worst:LOSS, PRIOR:LOSS (binomial:1/3:L1) or canonical (repeatable).",
        metavar="RESPECT",
    )
    ties: bool = option("Tell whether other mechanisms are as good, and how far they differ.", default=False)
    inputs: Inputs
    solver: options.Solver
    files: SolvedOutput

    def run(self) -> None:
        """Design, write the files and print."""
        self.files.check(plan_only=self.solver.plan_only)
        asked, privacy = self._asked_law(), self.privacy.read()
        width = min(asked.size, LARGEST_MATRIX) if isinstance(asked.size, int) else asked.size and 1  # any is 1
        model = self.inputs.read(width, self.k)
        law = stated_law(asked, privacy) if model.name == "count" and not self.ties else None
        if law is not None and law_answers(law, asked):
            return
        problem = self.objective.problem(model, privacy, self.properties)
        self.files.require_targets(files_read(self.inputs.distances, self.objective.loss, self.objective.prior))
        require_short_programs(problem, self.files.output or ())
        if self.solver.plan_only:
            show_plans(problem, self.solver, self.files.json, "" if law is None else plan_of_law(asked, law))
            return
        if self.ties:
            require_counts(problem, "ties")
        further = parse_then(self.then or (), problem)
        method = staged_method(problem, further, self.solver.method).name if further else self.solver.method
        plan = make_plan(problem, method, self.solver.solver)
        if self.solver.explain:
            say(plan_text(plan))
        with line_a_minute("designing"):
            found = design(problem, then=self.then or (), **self.solver.arguments("explain"))
        if not self.ties:
            self.files.deliver(found)
            return
        with line_a_minute("comparing"):
            compared = find_ties(problem, then=self.then or (), **self.solver.arguments("explain", "method", "exact"))
        self.files.deliver(found, compared=compared)

    def _asked_law(self) -> LawOptions:
        """State the law that may be asked for.

        Raises:
            InputError: for a law with ties.
        """
        size, then = read_group_size(self.n), self.then or ()
        asked = LawOptions(size, self.properties, self.objective, self.solver, self.files, then)
        given = ["then"] * bool(self.then) + ["ties"] * self.ties
        if self.ties and asked.is_wanted:
            raise InputError(
                f"--ties goes with one matrix, got it with a law; leave it out, or state one n up to {LARGEST_MATRIX}"
            )
        if given and self.solver.plan_only:
            raise InputError(f"--plan designs nothing, got it with --{given[0]}; leave one out")
        if self.ties and self.files.summary:
            raise InputError("--summary is of the design alone, got it with --ties; leave one out")
        return asked

    def python(self, text: PythonText) -> None:
        """Write a design of a matrix, or a law."""
        asked = self._asked_law()
        stated = self.privacy.arguments() | self.arguments("n", "k", "then", "ties") | self.objective.python(text)
        if asked.is_wanted:
            law_python(text, asked, stated)
            return
        model = self.inputs.python(text, self.k)
        text.call("problem", text.use(ENGINE, "DesignProblem"), n=asked.n, model=model, **stated)
        then = self.arguments("n", "k", "properties", "ties")
        search = self.solver.arguments("explain", "plan_only") | then
        text.call("result", text.use(ENGINE, "design"), Code("problem"), **search)
        if self.ties:
            search = self.solver.arguments("explain", "plan_only", "method", "exact") | then
            text.call("ties", text.use(ENGINE, "find_ties"), Code("problem"), **search)
            text.add("print(ties.words, ties.ranges)")
        self.files.python(text)


def show_plans(problem: DesignProblem, solver: options.Solver, json: bool, law: str) -> None:
    """Print the methods that would be tried, and what is known before; `law` says what is tried before all of them.

    Raises:
        InputError: where nothing would serve.
        NoAnswerError: in words alone, where no mechanism has what is asked.
    """
    first = {"law": law} if law else {}
    try:
        plan = make_plan(problem, solver.method, solver.solver)
    except InputError as error:
        if not law:
            raise
        none = f"{law}\nno matrix: {error}"
        print_result(json, partial(dict, first, **{"no matrix": str(error)}), partial(print, none))
        return
    document = first | plan_document(problem, plan)
    print_result(json, lambda: document, partial(show_plan, plan, document))
