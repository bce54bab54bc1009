"""Write local designs for workloads as Python."""

import math

from mechdesign_cli.studio.snippets.snippet import PICTURES, Code, Given, Snippet, ending

ENGINE, FIGURES = "mechdesign", "mechdesign_figures"


def asked_workload(snippet: Snippet, given: Given) -> None:
    """Write the workload, on items or on attributes."""
    k, text, attributes = given.whole("k"), given.take("workload"), given.take("attributes")
    if attributes is not None:
        sizes = [2] * int(attributes) if attributes.isdecimal() else [int(size) for size in attributes.split(",")]
        text, k = f"{text}:{','.join(map(str, sizes))}", Code(str(math.prod(sizes)))
    snippet.call("workload", snippet.use(ENGINE, "parse_workload"), text, k)


def solve_workload(snippet: Snippet, given: Given) -> None:
    """Write a design for a workload, and its files."""
    given.take("model")
    asked_workload(snippet, given)
    snippet.call(
        "problem",
        snippet.use(ENGINE, "WorkloadProblem"),
        Code("workload"),
        alpha=given.take("alpha"),
        epsilon=given.take("epsilon"),
        aggregate=given.take("aggregate", "expected"),
    )
    start = given.take("start")
    if start is not None:
        snippet.use(ENGINE, "read_workload_design")
    snippet.call(
        "found",
        snippet.use(ENGINE, "design_workload"),
        Code("problem"),
        gap=given.number("gap"),
        outputs=given.whole("outputs"),
        start=None if start is None else Code(f"read_workload_design({start!r})"),
        time_limit=given.number("time-limit"),
    )
    for path in [*given.all("output"), *given.all("plot")]:
        if ending(path) in PICTURES:
            snippet.picture(path, f"{snippet.use(FIGURES, 'plot_workload_design')}(found)")
        else:
            snippet.call("", snippet.use(ENGINE, "export"), Code("found"), path)
    snippet.add("print(found)")
