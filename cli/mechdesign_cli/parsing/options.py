"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from mechdesign.problem.design_problem import AGGREGATES
from mechdesign.problem.privacy import Privacy, privacy_if_given
from mechdesign.problem.properties import KNOWN
from mechdesign_cli.parsing.numbers import seconds, seed_number
from mechdesign_cli.record import Group, option, shared
from mechdesign_cli.showing.messages import Kind, remark


def words(*words: str) -> Callable[[str], list[str]]:
    """Complete an option that takes one of these words."""

    def complete(incomplete: str) -> list[str]:  # Typer knows the parameter by this name
        return [word for word in words if word.startswith(incomplete)]

    return complete


def _methods(incomplete: str) -> list[str]:
    from mechdesign.methods.registry import METHODS

    return words("auto", *(method.name for method in METHODS))(incomplete)


def remark_on_seed(seed: int | None) -> None:
    """Remark that what is drawn by a seed is no release."""
    if seed is not None:
        text = "warning: --seed makes the noise reproducible; the output is for simulation, not for release"
        remark(text, Kind.OPTION)


GroupSizes = Annotated[str | None, shared("Group sizes: numbers and ranges a:b:step, which include b.")]
OptionalGroupSize = Annotated[int | None, shared("Number of people in a group; counts are 0..n.", metavar="N")]
SizeOfLaw = Annotated[int | None, shared("With a law: the number of people in a group.", metavar="N")]
DomainSize = Annotated[int | None, shared("Number of items, for ldp and lldp.", metavar="K")]
Radius = Annotated[int | None, shared("lldp: items up to R apart are neighbours.", metavar="R")]
Aggregate = Annotated[
    str,
    shared(
        "expected: the mean loss under the prior; worst: the largest loss of an input (minimax).",
        autocompletion=words(*AGGREGATES),
    ),
]
Alphas = Annotated[str | None, shared("exp(-epsilon) in (0, 1): a list such as 0.5,2/3, or ranges.")]
Epsilons = Annotated[str | None, shared("Privacy losses, instead of --alpha.")]
Properties = Annotated[str, shared(f"Any of {','.join(KNOWN)} separated by commas; or none, or all.", "--props")]
PriorOption = Annotated[
    str | None, shared("uniform (the default), binomial:P, weights:W,W,... (whole numbers), or a file.")
]
SolverOption = Annotated[str, shared("highs, or cvxpy:NAME such as cvxpy:CLARABEL.")]
TimeLimit = Annotated[
    float | None, shared("Give up after this many seconds (exit code 1).", parser=seconds, metavar="SECONDS")
]
Jobs = Annotated[int | None, shared("Number of processes (default: one for each usable processor).")]
Cluster = Annotated[
    str | None, shared("Work on a Dask cluster: tcp://HOST:PORT, or local for processes of this machine.")
]
Seed = Annotated[int | None, shared("Seed that makes the noise reproducible: for simulation only.", parser=seed_number)]
WorkloadName = Annotated[
    str | None,
    shared("Queries to answer: histogram, prefixes, ranges, ranges:L, circular, grid:A,B, marginals:K, or a CSV file."),
]
Exact = Annotated[bool, shared("Insist on the exact vertex, however long its numbers are.")]
Outputs = Annotated[
    list[Path] | None,
    shared(
        "Export to .json, .csv, .npz, .html (one page), .tex, or as a linear program: .vipr (with proof), .lp, .mps.",
        "--output",
        "-o",
    ),
]
MatrixOutputs = Annotated[list[Path] | None, shared("Export to .json, .csv or .npz (repeatable).", "--output", "-o")]
Tables = Annotated[list[Path] | None, shared("Write the table to .csv or .json (repeatable).", "--output", "-o")]
Plot = Annotated[Path | None, shared("Draw the heatmap to .png, .svg or .pdf.")]
RowStochastic = Annotated[bool, shared("The file has one row for each input (other tools).")]
Json = Annotated[bool, shared("Print the JSON document instead of the report.")]


class PrivacyOptions(Group, title="Privacy"):
    """The privacy parameter in options: alpha, or epsilon."""

    alpha: str | None = option("exp(-epsilon) in (0, 1), such as 0.9 or 9/10.")
    epsilon: str | None = option("Privacy loss, instead of --alpha.")

    def read(self) -> Privacy:
        """Read the one that was given; refuse none, and both."""
        return Privacy(self.alpha, self.epsilon)

    def read_if_given(self) -> Privacy | None:
        """Read the one that was given; None for none."""
        return privacy_if_given(self.alpha, self.epsilon)


class Solver(Group, title="Solver"):
    """The search for one mechanism, in options."""

    method: str = option(
        "auto, closed-form, column-generation, split-and-cut, active-outputs, symmetric or full: all score the same; "
        "layer: a law for every n.",
        default="auto",
        autocompletion=_methods,
    )
    solver: SolverOption = "highs"
    time_limit: TimeLimit = None
    exact: Exact = False
    explain: bool = option("Print which methods apply, which one is used, and why.", default=False)
    plan_only: bool = option(
        "Show methods, estimated work, and which properties follow or clash; design nothing.", "--plan", default=False
    )
