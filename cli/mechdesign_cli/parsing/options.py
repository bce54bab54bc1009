"""Declare the options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from mechdesign.problem.design_problem import AGGREGATES
from mechdesign.problem.model import MODELS
from mechdesign.problem.properties import KNOWN
from mechdesign_cli.parsing.numbers import seconds, seed_number, whole_number


def _words(*words: str) -> Callable[[str], list[str]]:
    """Complete an option that takes one of these words."""

    def complete(incomplete: str) -> list[str]:  # Typer knows the parameter by this name
        return [word for word in words if word.startswith(incomplete)]

    return complete


def _methods(incomplete: str) -> list[str]:
    from mechdesign.methods.registry import METHODS

    return _words("auto", *(method.name for method in METHODS))(incomplete)


_N = typer.Option("--n", help="Number of people in a group; counts are 0..n.", parser=whole_number, metavar="N")
GroupSize = Annotated[int, _N]
GroupSizes = Annotated[
    str | None, typer.Option("--n", help="Group sizes: numbers and ranges a:b:step, which include b.")
]
OptionalGroupSize = Annotated[int | None, _N]
SizeOfLaw = Annotated[
    int | None,
    typer.Option("--n", help="With a law: the number of people in a group.", parser=whole_number, metavar="N"),
]
AnyGroupSize = Annotated[
    str | None,
    typer.Option("--n", help="Number of people in a group, or any: one law for groups of every size.", metavar="N"),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="count, ldp, lldp or metric: which inputs are neighbours; follows from --n, --k, --radius, --distances.",
        autocompletion=_words(*MODELS),
    ),
]
DomainSize = Annotated[
    int | None, typer.Option("--k", help="Number of items, for ldp and lldp.", parser=whole_number, metavar="K")
]
Radius = Annotated[
    int | None,
    typer.Option("--radius", help="lldp: items up to R apart are neighbours.", parser=whole_number, metavar="R"),
]
Distances = Annotated[Path | None, typer.Option("--distances", help="metric: a CSV matrix of distances.")]
Unit = Annotated[str | None, typer.Option("--unit", help="metric: the unit to which distances are rounded down.")]
Aggregate = Annotated[
    str,
    typer.Option(
        "--aggregate",
        help="expected loss under the prior, or worst over the inputs (minimax).",
        autocompletion=_words(*AGGREGATES),
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        help="auto, closed-form, column-generation, symmetric or full: all score the same; layer: a law for every n.",
        autocompletion=_methods,
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Print which methods can serve, which is taken, and why.")]
Alpha = Annotated[str | None, typer.Option("--alpha", help="exp(-epsilon) in (0, 1), as 0.9 or 9/10.")]
Epsilon = Annotated[str | None, typer.Option("--epsilon", help="Privacy loss, instead of --alpha.")]
Alphas = Annotated[
    str | None, typer.Option("--alpha", help="exp(-epsilon) in (0, 1): a list such as 0.5,2/3, or ranges.")
]
Epsilons = Annotated[str | None, typer.Option("--epsilon", help="Privacy losses, instead of --alpha.")]
Properties = Annotated[
    str, typer.Option("--props", help=f"Any of {','.join(KNOWN)} with commas between them; none; or all.")
]
LossOption = Annotated[
    str,
    typer.Option(
        "--loss",
        help="Lp or Lp:d (L0, L1, L2, L0:1), PB:TAU (TAU a step below the truth, 1 - TAU above), or a CSV file.",
    ),
]
PriorOption = Annotated[
    str | None,
    typer.Option("--prior", help="uniform (the default), binomial:P, weights:W,W,... (whole numbers), or a file."),
]
SolverOption = Annotated[str, typer.Option("--solver", help="highs, or cvxpy:NAME such as cvxpy:CLARABEL.")]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", help="Give up after so many seconds (exit 1).", parser=seconds, metavar="SECONDS"),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        help="Number of processes (default: one for each usable processor).",
        parser=whole_number,
        metavar="JOBS",
    ),
]
JobsOrOne = Annotated[
    int,
    typer.Option("--jobs", help="Number of processes; 1 works in this one.", parser=whole_number, metavar="JOBS"),
]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", help="Work on a Dask cluster: tcp://HOST:PORT, or local for processes of this machine."),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", help="Reproducible noise: for simulation only.", parser=seed_number, metavar="SEED"),
]
WorkloadName = Annotated[
    str | None,
    typer.Option(
        "--workload",
        help="Queries to answer: histogram, prefixes, ranges, ranges:L, grid:A,B, marginals:K, a CSV of weights.",
        metavar="WORKLOAD",
    ),
]
Attributes = Annotated[
    str | None,
    typer.Option(
        "--attributes",
        help="In place of --k, for marginals:K: how many attributes of two items, or the items of each, as 3,4,2.",
    ),
]
Exact = Annotated[bool, typer.Option("--exact", help="Insist on the exact vertex, however long its numbers are.")]
Outputs = Annotated[
    list[Path] | None,
    typer.Option(
        "--output",
        "-o",
        help="Export to .json, .csv, .npz, .tex, or as a linear program: .vipr (with proof), .lp, .mps (repeatable).",
        metavar="FILE",
    ),
]
Fractions = Annotated[
    bool, typer.Option("--fractions", help="Print exact fractions, and write them to .csv (floats if not given).")
]
MatrixOutputs = Annotated[
    list[Path] | None,
    typer.Option("--output", "-o", help="Export to .json, .csv or .npz (repeatable).", metavar="FILE"),
]
Tables = Annotated[
    list[Path] | None,
    typer.Option("--output", "-o", help="Write the table to .csv or .json (repeatable).", metavar="FILE"),
]
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw the heatmap to .png, .svg or .pdf.")]
RowStochastic = Annotated[
    bool, typer.Option("--row-stochastic", help="The file has one row for each input (other tools).")
]
Json = Annotated[bool, typer.Option("--json", help="Print the JSON document instead of the report.")]
