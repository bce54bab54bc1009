"""Write `solve`, `report`, `check`, `landscape` and `catalog` as Python."""

import re
from collections.abc import Sequence

from mechdesign_cli.studio.snippets.data import data_source
from mechdesign_cli.studio.snippets.snippet import PICTURES, Code, Given, NoPythonError, Snippet, ending
from mechdesign_cli.studio.snippets.workloads import solve_workload
from mechdesign_figures.reports.limits import USUAL_PRICES

LOSS = re.compile(r"[lL][0-9]|[pP][bB]:")
"""What the name of a loss begins with; other texts are files."""

PRIORS = ("uniform", "binomial", "weights")
"""What the text of a prior begins with, up to a colon; other texts are files."""

ENGINE, FIGURES, CATALOG = "mechdesign", "mechdesign_figures", "mechdesign_catalog"


def solve(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write a design."""
    if given.has("workload"):
        solve_workload(snippet, given)
        return
    method = given.take("method", "auto")
    if method == "layer":
        _law(snippet, given)
        return
    _problem(snippet, given)
    snippet.call(
        "found",
        snippet.use(ENGINE, "design"),
        Code("problem"),
        method=method,
        solver=given.take("solver", "highs"),
        time_limit=given.number("time-limit"),
        exact=given.flag("exact") or None,
    )
    _design_files(snippet, "found", [*given.all("output"), *given.all("plot")], given.flag("fractions"))
    snippet.add("print(found.score, found.status, found.holds)")


def _law(snippet: Snippet, given: Given) -> None:
    """Write a law, and its files."""
    n = given.whole("n")
    snippet.call(
        "law",
        snippet.use(ENGINE, "design_law"),
        alpha=given.take("alpha"),
        epsilon=given.take("epsilon"),
        properties=given.take("props", "none"),
        loss=given.take("loss", "L0"),
        time_limit=given.number("time-limit"),
    )
    for path in given.all("output"):
        snippet.call(
            "", snippet.use(ENGINE, "export"), Code("law" if ending(path) == ".json" else f"law.design({n})"), path
        )
    for path in given.all("plot"):
        snippet.use(FIGURES, "plot_law")
        snippet.picture(path, "plot_law(law)")
    snippet.add(f"print(law.score({n}), law.optimality({n}), law.holds({n}))")


def report(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write a report on a document, and its conversions."""
    (file,) = arguments
    outputs, prices = given.all("output"), given.flag("prices")
    pages = [path for path in outputs if ending(path) == ".html"]
    source = data_source(snippet, given, seeded=True)
    wanted: object = True if prices else None
    if pages and not prices:
        snippet.use(FIGURES, "report_design")
        snippet.call("source", snippet.use(ENGINE, "read_design"), file)
        wanted = Code(f"source.problem.n <= {USUAL_PRICES}")
    snippet.call(
        "found",
        snippet.use(FIGURES, "report_design"),
        Code("source") if pages and not prices else file,
        name=file if pages and not prices else None,
        prices=wanted,
        data=source,
        metrics=given.take("metric"),
        repetitions=given.whole("repetitions"),
        seed=given.whole("seed"),
    )
    for path in pages:
        snippet.call("", snippet.use(FIGURES, "save_report"), Code("found"), path)
    _design_files(snippet, "found.design", [path for path in outputs if path not in pages])
    snippet.add("for sentence in found.certificate_words:", "    print(sentence)")


def check(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write the audit of a matrix, its repair, or the check of a release."""
    (file,) = arguments
    record = given.take("record")
    if record is not None:
        snippet.call("claims", snippet.use(ENGINE, "check_release"), record, file)
        snippet.add("for claim in claims:", "    print(claim.true, claim.claim)")
        return
    snippet.use(ENGINE, "read_matrix")
    turned = ".transposed()" if given.flag("row-stochastic") else ""
    snippet.add(f"matrix = read_matrix({file!r}){turned}")
    repair, charged, tolerance = given.take("repair"), given.take("loss"), given.take("tolerance")
    alpha, epsilon, properties = given.take("alpha"), given.take("epsilon"), given.take("props", "none")
    model = _model(snippet, given, "len(matrix.rows[0])")
    snippet.call(
        "found",
        snippet.use(ENGINE, "audit"),
        Code("matrix"),
        alpha=_audited_alpha(snippet, alpha, epsilon),
        properties=properties,
        model=model,
        tolerance=tolerance,
    )
    snippet.add("print(found.epsilon, found.alpha, found.column_sums_exact, found.holds)")
    snippet.add("for claim in found.claims:", "    print(claim.true, claim.claim)")
    if tolerance is not None:
        snippet.add("for claim in found.within.claims:", "    print(claim.true, claim.claim)")
    if repair is None and charged is None:
        return
    if ending(file) == ".json":
        raise NoPythonError("the comparison or repair of a document, which has a prior of its own")
    sized = {"model": model} if model is not None else {"n": Code("len(matrix.rows) - 1")}
    snippet.call(
        "problem",
        snippet.use(ENGINE, "DesignProblem"),
        **sized,
        alpha=alpha,
        epsilon=epsilon,
        properties=properties,
        loss=loss(snippet, charged or "L0"),
    )
    if repair is None:
        snippet.call("compared", snippet.use(ENGINE, "compare_with_optimum"), Code("problem"), Code("matrix"))
        snippet.add("print(compared.score, compared.best.lower_bound)")
        return
    snippet.call("mended", snippet.use(ENGINE, "mend"), Code("problem"), Code("matrix"))
    snippet.call("", snippet.use(ENGINE, "export"), Code("mended.design"), repair)


def _audited_alpha(snippet: Snippet, alpha: str | None, epsilon: str | None) -> object:
    if epsilon is None:
        return alpha
    snippet.use(ENGINE, "Privacy")
    return Code(f"Privacy(epsilon={epsilon!r}).alpha")


def landscape(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write a landscape."""
    _problem(snippet, given)
    snippet.call("found", snippet.use(ENGINE, "landscape"), Code("problem"), time_limit=given.number("time-limit"))
    snippet.add("for group in found.classes:", "    print(group.score, group.status, group.weakest)")
    for path in given.all("plot"):
        snippet.use(FIGURES, "plot_landscape")
        snippet.use(CATALOG, "class_names")
        snippet.picture(path, "plot_landscape(found, names=class_names(found))")
    for path in given.all("output"):
        snippet.leave_out(path, "landscape")


def catalog(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write a mechanism of the catalog."""
    if not arguments:
        snippet.use(CATALOG, "CLOSED_FORMS")
        snippet.add("for name, form in CLOSED_FORMS.items():", "    print(name, form.title)")
        return
    snippet.call(
        "found",
        snippet.use(CATALOG, "closed_form"),
        arguments[0],
        n=given.whole("n"),
        k=given.whole("k"),
        alpha=given.take("alpha"),
        epsilon=given.take("epsilon"),
    )
    _design_files(snippet, "found", [*given.all("output"), *given.all("plot")], given.flag("fractions"))
    snippet.add("print(found.score, found.status, found.holds)")


def _design_files(snippet: Snippet, design: str, paths: Sequence[str], fractions: bool = False) -> None:
    for path in paths:
        if ending(path) in PICTURES:
            snippet.use(FIGURES, "plot_design")
            snippet.picture(path, f"plot_design({design})")
        else:
            exact = {"fractions": True} if fractions and ending(path) == ".csv" else {}
            snippet.call("", snippet.use(ENGINE, "export"), Code(design), path, **exact)


def _problem(snippet: Snippet, given: Given) -> None:
    n, model = given.whole("n"), _model(snippet, given, None)
    snippet.call(
        "problem",
        snippet.use(ENGINE, "DesignProblem"),
        n=n,
        model=model,
        alpha=given.take("alpha"),
        epsilon=given.take("epsilon"),
        properties=given.take("props", "none"),
        loss=loss(snippet, given.take("loss", "L0")),
        prior=prior(snippet, given.take("prior", "uniform")),
        aggregate=given.take("aggregate", "expected"),
    )


def _model(snippet: Snippet, given: Given, size: str | None) -> Code | None:
    """Write the model; `size` is that of a matrix which is there already."""
    name, k, radius = given.take("model", "count"), given.whole("k"), given.whole("radius")
    distances, unit = given.take("distances"), given.take("unit")
    items = size or k
    if name is None:
        return None
    snippet.use(ENGINE, "Model")
    if name == "metric" and distances is not None:
        snippet.use(ENGINE, "read_matrix")
        more = "" if unit is None else f", {unit!r}"
        return Code(f"Model.metric(read_matrix({distances!r}).rows{more})")
    if name == "ldp" and items is not None:
        return Code(f"Model.ldp({items})")
    if name == "lldp" and items is not None and radius is not None:
        return Code(f"Model.lldp({items}, {radius})")
    raise NoPythonError(f"model {name}")


def loss(snippet: Snippet, text: str | None) -> object:
    """Write a loss: its name, or the matrix of a file."""
    if text is None or LOSS.match(text):
        return text
    if ending(text) != ".csv":
        raise NoPythonError("a loss in a file of another ending")
    snippet.use(ENGINE, "Loss")
    snippet.use(ENGINE, "read_matrix")
    return Code(f"Loss.from_matrix(read_matrix({text!r}).rows)")


def prior(snippet: Snippet, text: str | None) -> object:
    """Write a prior: its name, or the weights of a file."""
    if text is None or text.partition(":")[0].strip().lower() in PRIORS:
        return text
    if not ending(text):
        raise NoPythonError("a prior in a file without an ending")
    snippet.use(ENGINE, "Prior")
    snippet.use("pathlib", "Path")
    return Code(f'Prior.from_weights(Path({text!r}).read_text().replace(",", " ").split())')
