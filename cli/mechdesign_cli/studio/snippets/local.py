"""Write `oracles`, `compare-oracles`, `privatize` and `aggregate` as Python."""

from collections.abc import Sequence

from mechdesign_cli.studio.snippets.counts import rows_files
from mechdesign_cli.studio.snippets.snippet import Code, Given, NoPythonError, Snippet, ending
from mechdesign_cli.studio.snippets.tasks import read_task
from mechdesign_cli.studio.snippets.workloads import asked_workload

ENGINE, FIGURES, CATALOG = "mechdesign", "mechdesign_figures", "mechdesign_catalog"


def oracles(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write a survey of the oracles for a domain or a workload."""
    alpha, epsilon = given.take("alpha"), given.take("epsilon")
    snippet.call("privacy", snippet.use(ENGINE, "Privacy"), alpha=alpha, epsilon=epsilon)
    users = given.whole("n") or Code("10_000")
    if not given.has("workload"):
        survey, liars = snippet.use(CATALOG, "survey_oracles"), given.take("liars")
        snippet.call("found", survey, given.whole("k"), Code("privacy"), users, liars=liars)
    else:
        survey = snippet.use(CATALOG, "survey_marginals" if given.has("attributes") else "survey_workload")
        liars, others = given.take("liars"), given.all("oracle") or None
        asked_workload(snippet, given)
        snippet.call("found", survey, Code("workload"), Code("privacy"), users, liars=liars, others=others)
    snippet.add("for standing in found:", "    print(standing.entry())")
    for path in given.all("output"):
        snippet.leave_out(path, "oracles")


def compare_oracles(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write a comparison of oracles on items."""
    data, k, people, seed = given.take("data"), given.whole("k"), given.whole("people"), given.whole("seed")
    file, column, domain = given.take("input"), given.take("column"), given.take("domain")
    if file is not None:
        _read_rows(snippet, file)
        snippet.call(
            "items",
            snippet.use(CATALOG, "count_items"),
            Code(f"[row[{column!r}] for row in rows]"),
            domain,
            name=f"{file}, {column}",
        )
    elif data is not None:
        snippet.call("items", snippet.use(CATALOG, "open_items"), data, k=k, people=people, seed=seed)
    else:
        raise NoPythonError("no items")
    snippet.call(
        "rows",
        snippet.use(CATALOG, "compare_oracles"),
        Code("items"),
        given.take("oracles"),
        alpha=given.take("alpha"),
        epsilon=given.take("epsilon"),
        metrics=given.take("metric"),
        repetitions=given.whole("repetitions"),
        simulate=given.take("simulate"),
        post=given.take("post"),
        workload=given.take("workload"),
        seed=seed,
    )
    rows_files(snippet, given, "compare-oracles", "plot_oracle_comparison")


def privatize(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write private reports of the values in a file."""
    file, column, columns = given.take("input"), given.take("column"), given.take("columns")
    bins = given.all("bins")
    if file is None or (column is None) == (columns is None):
        raise NoPythonError("columns that the file itself tells")
    _read_rows(snippet, file)
    names = None if columns is None else [name.strip() for name in columns.split(",")]
    maximum, task = given.take("maximum"), given.take("task")
    if task is not None:
        read_task(snippet, task)
    if names is None:
        snippet.add(f"values = [row[{column!r}].strip() for row in rows]")
        if maximum is not None:
            snippet.add("values = [float(value) for value in values]")
    else:
        snippet.add(f"values = {{name: [row[name].strip() for row in rows] for name in {names!r}}}")
    snippet.call(
        "reports",
        snippet.use(CATALOG, "privatize"),
        Code("values"),
        given.take("oracle") if task is None else Code("task"),
        alpha=given.take("alpha"),
        epsilon=given.take("epsilon"),
        domain=given.take("domain"),
        bins=None if not bins else bins[0] if len(bins) == 1 else bins,
        beyond=given.take("beyond"),
        ordered=given.flag("ordered") or None,
        columns=names,
        maximum=maximum,
        seed=given.whole("seed"),
    )
    for path in given.all("output"):
        snippet.add(f"reports.save({path!r})")


def _read_rows(snippet: Snippet, file: str) -> None:
    snippet.use("csv", "DictReader")
    snippet.add(
        f'with open({file!r}, newline="", encoding="utf-8-sig") as stream:', "    rows = list(DictReader(stream))"
    )


def aggregate(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write the estimate from report files."""
    _estimated(snippet, arguments, given)
    level, post = given.number("confidence", "0.95"), given.take("post")
    marginal, every = given.take("marginal"), given.flag("all")
    outputs, plots = given.all("output"), given.all("plot")
    drawn, told = "", "" if level is None else f", level={level}"
    if marginal is not None:
        names = [name.strip() for name in marginal.split(",")]
        snippet.call("table", "found.table", names, post=post)
        content = _csv("table", level)
        snippet.add("print(table.numbers())")
        if plots:
            drawn = f"{snippet.use(FIGURES, 'plot_marginal')}(table{told})"
    elif every:
        content = _csv("found", level, post)
        snippet.add("print(found.tables())" if post is None else f"print(found.tables(post={post!r}))")
        _dependence(snippet, given, post)
    else:
        content = _csv(_processed(snippet, post), level)
        snippet.add("print(found)")
        content = _ranges(snippet, given, level) or content
        at = _quantiles(snippet, given, level)
        drawn = _drawn_items(snippet, at, told) if plots else ""
    for path in outputs:
        snippet.write(path, content)
    for path in plots:
        if not drawn:
            raise NoPythonError("a picture of many tables")
        snippet.picture(path, drawn)


def _estimated(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Estimate from files, or from sums."""
    task, sums, domain = given.take("task"), given.take("sums"), given.take("domain")
    if task is not None:
        read_task(snippet, task)
    if sums is not None:
        if arguments:
            raise NoPythonError("files beside sums")
        add_up = snippet.use(CATALOG, "aggregate_sums")
        snippet.call("found", add_up, sums, given.whole("users"), Code("task"), domain=domain)
        return
    files: object = arguments[0] if len(arguments) == 1 else list(arguments)
    options = {"task": None if task is None else Code("task"), "drop_invalid": given.flag("drop-invalid") or None}
    for path in given.all("state"):
        snippet.call("state", snippet.use(CATALOG, "collect"), files, **options)
        snippet.call("", snippet.use(CATALOG, "write_state"), path, Code("state"))
        files, options = Code("state"), {}
    snippet.call("found", snippet.use(CATALOG, "aggregate"), files, domain=domain, **options)


def _drawn_items(snippet: Snippet, at: str, told: str) -> str:
    """A call that draws items as the command does: by their order, where they have one and quantiles are known."""
    snippet.use(FIGURES, "plot_distribution")
    if at:
        return f"plot_distribution(found, at={at}{told})"
    snippet.use(FIGURES, "plot_frequencies")
    snippet.add("plot = plot_distribution if found.ordered and found.is_unbiased else plot_frequencies")
    return f"plot(found{told})"


def _ranges(snippet: Snippet, given: Given, level: Code | None) -> str:
    path = given.take("ranges")
    if path is None:
        return ""
    snippet.call("ranges", snippet.use(CATALOG, "read_ranges"), path, Code("found.domain"))
    snippet.call("answers", "found.answers", Code("ranges.queries"), *([] if level is None else [level]))
    snippet.add("print(answers.shares, answers.low, answers.high)")
    return "ranges.tabulate(answers).csv_bytes()"


def _dependence(snippet: Snippet, given: Given, post: str | None) -> None:
    """The tests of all pairs and the tree, of the tables that were asked for."""
    pairs, tree = given.all("association"), given.take("tree")
    source = "found.source()" if post is None else f"found.source({post!r})"
    if pairs:
        from mechdesign_catalog.marginals.consistency.posts import TABLE_POSTS  # takes a moment, and few steps need it

        tested = source if post is None or (post in TABLE_POSTS and TABLE_POSTS[post].unbiased) else "found.source()"
        snippet.call("pairs", snippet.use(CATALOG, "find_associations"), Code(tested))
        snippet.add("names = found.attributes.names", "print(pairs.tabulate(names).columns)")
    for path in pairs:
        if ending(path) == ".csv":
            snippet.write(path, "pairs.tabulate(names).csv_bytes()")
        else:
            snippet.picture(path, f"{snippet.use(FIGURES, 'plot_associations')}(pairs, names)")
    if tree is not None:
        snippet.call("learnt", snippet.use(CATALOG, "learn_tree"), Code(source))
        snippet.use(FIGURES, "plot_dependence_tree")
        snippet.add("print(learnt.tree.edges)")
        snippet.picture(tree, "plot_dependence_tree(learnt.tree, found.attributes.names)")


def _csv(name: str, level: Code | None, post: str | None = None) -> str:
    told = [*([] if level is None else [level.text]), *([] if post is None else [f"post={post!r}"])]
    return f"{name}.tabulate({', '.join(told)}).csv_bytes()"


def _processed(snippet: Snippet, post: str | None) -> str:
    if post is not None:
        from mechdesign_catalog.postprocessing import POSTPROCESSING  # takes a moment, and few steps need it

        if post not in POSTPROCESSING:
            raise NoPythonError(f"post {post}")
        snippet.call("found", snippet.use(CATALOG, "postprocess"), Code("found"), post)
    return "found"


def _quantiles(snippet: Snippet, given: Given, level: Code | None) -> str:
    """Write the quantiles, and return the name that they have; empty where none are asked for."""
    asked, paths = given.take("quantiles"), given.all("quantiles-output")
    together = given.flag("simultaneous")
    if asked is None:
        return ""
    told = [] if level is None else [level]
    snippet.call("marked", snippet.use(CATALOG, "quantiles"), Code("found"), asked, *told)
    snippet.add("print(marked.tabulate().columns)")
    for path in paths:
        snippet.write(path, f"marked.tabulate({'simultaneous=True' if together else ''}).csv_bytes()")
    return "marked"
