"""Write `compare`, `simulate`, `estimate` and `release` as Python."""

from collections.abc import Sequence

from mechdesign_cli.studio.snippets.data import data_source
from mechdesign_cli.studio.snippets.designs import loss, prior
from mechdesign_cli.studio.snippets.snippet import NUMBER, Code, Given, Snippet, ending

ENGINE, FIGURES, CATALOG = "mechdesign", "mechdesign_figures", "mechdesign_catalog"


def compare(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write a comparison of mechanisms on data."""
    source = data_source(snippet, given, seeded=True)
    n = given.take("n")
    snippet.call(
        "rows",
        snippet.use(CATALOG, "compare_mechanisms"),
        source,
        *filter(None, [given.take("mechanisms")]),
        n=Code(n) if n is not None and NUMBER.fullmatch(n) else n,
        alpha=given.take("alpha"),
        epsilon=given.take("epsilon"),
        metrics=given.take("metric"),
        loss=given.take("loss"),
        prior=prior(snippet, given.take("prior", "uniform")),
        repetitions=given.whole("repetitions"),
        seed=given.whole("seed"),
    )
    rows_files(snippet, given, "compare", "plot_mechanism_comparison")


def rows_files(snippet: Snippet, given: Given, command: str, plot: str) -> None:
    """Write the rows of a comparison to files, and print them."""
    for path in given.all("output"):
        if ending(path) == ".csv":
            snippet.write(path, "rows.tabulate().csv_bytes()")
        else:
            snippet.leave_out(path, command)
    for path in given.all("plot"):
        snippet.use(FIGURES, plot)
        snippet.picture(path, f"{plot}(rows)")
    snippet.add("for entry in rows.tabulate().entries():", "    print(entry)")


def simulate(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write a simulated release of data."""
    mechanism, seed = given.take("mechanism"), given.whole("seed") or Code("1")
    if (name := given.take("data")) is None:
        data_source(snippet, given)
    else:
        people, target = given.whole("people"), given.take("target")
        snippet.call("data", snippet.use(CATALOG, "open_data"), name, target=target, people=people, seed=seed)
    snippet.call("mechanism", snippet.use(ENGINE, "read_mechanism"), mechanism)
    snippet.add("counts = data.grouped(mechanism.n_inputs - 1).counts")
    snippet.call("found", snippet.use(ENGINE, "simulate_release"), Code("mechanism"), Code("counts"), seed)
    snippet.add("print(found.true_histogram, found.histogram)  # a simulation: it protects nobody")
    for path in given.all("output"):
        snippet.write(path, "found.tabulate().csv_bytes()")


def estimate(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write an estimate from released counts."""
    (file,) = arguments
    record, plots, outputs = given.take("record"), given.all("plot"), given.all("output")
    confidence = given.take("confidence", "0.95")
    if record is not None:
        snippet.call("found", snippet.use(ENGINE, "estimate_release"), file, record, confidence=confidence)
        drawn, printed = "plot_release_estimate", "print(found)"
    else:
        _of_mechanism(snippet, file, given, confidence)
        drawn, printed = "plot_estimate", "print(found)"
    for path in plots:
        snippet.use(FIGURES, drawn)
        snippet.picture(path, f"{drawn}(found)")
    snippet.add(printed)
    for path in outputs:
        snippet.leave_out(path, "estimate")


def _of_mechanism(snippet: Snippet, file: str, given: Given, confidence: str | None) -> None:
    mechanism = given.take("mechanism")
    snippet.use("pyarrow.csv", "read_csv")
    tolerance = given.number("tolerance")
    snippet.call(
        "found",
        snippet.use(ENGINE, "estimate"),
        Code(f"read_csv({file!r})"),
        mechanism,
        column=given.take("column"),
        confidence=confidence,
        tolerance=tolerance,
    )
    released, believed = given.number("posterior"), given.take("prior")
    if released is not None:
        chosen = Code("found") if believed == "estimated" else prior(snippet, believed)
        snippet.use(ENGINE, "read_mechanism")
        told = [released, Code(f"read_mechanism({mechanism!r})"), *([] if chosen is None else [chosen])]
        snippet.call("behind", snippet.use(ENGINE, "posterior"), *told)
        snippet.add("print(behind)")


def release(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write a release of the counts in a file."""
    mechanism = given.take("mechanism")
    snippet.call(
        "record",
        snippet.use(ENGINE, "release_file"),
        given.take("input"),
        given.take("output"),
        record=given.take("record"),
        bit=given.take("bit"),
        category=given.take("category"),
        group=given.take("group"),
        column=given.take("column"),
        size=given.take("size"),
        mechanism=mechanism,
        alpha=given.take("alpha"),
        epsilon=given.take("epsilon"),
        properties=given.take("props"),
        loss=loss(snippet, given.take("loss")),
        prior=prior(snippet, given.take("prior", "uniform")),
        intervals=given.take("intervals"),
        unit=given.take("unit"),
        unit_column=given.take("unit-column"),
        key=given.take("key"),
    )
    snippet.add("print(record)")
