"""Write data sets, and `data`, as Python."""

from collections.abc import Sequence

from mechdesign_cli.studio.snippets.snippet import Code, Given, NoPythonError, Snippet

CATALOG = "mechdesign_catalog"


def data_source(snippet: Snippet, given: Given, name: str | None = None, *, seeded: bool = False) -> object:
    """Write what names counts of groups: a set's name, or a line that opens it; None where there is none.

    `seeded` tells that whoever takes a name opens the set by the same seed.
    """
    found = given.take("data") if name is None else name
    target, people, file = given.take("target"), given.whole("people"), given.take("input")
    bit, column, group = given.take("bit"), given.take("column"), given.take("group")
    rows = given.whole("group-size")
    if file is not None:
        snippet.call(
            "data", snippet.use(CATALOG, "open_table"), file, bit=bit, column=column, group=group, group_size=rows
        )
        return Code("data")
    if found is None or (seeded and target is None and people is None):
        return found
    seed = given.whole("seed")
    if seed is not None:
        raise NoPythonError("one seed for data and noise")
    snippet.call("data", snippet.use(CATALOG, "open_data"), found, target=target, people=people)
    return Code("data")


def data(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Write a data set, or the list of them."""
    name = arguments[0] if arguments else None
    if bins := given.all("bins"):
        _users_in_bins(snippet, given, bins)
        return
    if (columns := given.take("columns")) is not None:
        _own_table(snippet, given, columns)
        return
    outputs = [path for option in ("output", "domain") for path in given.all(option)]
    chosen = None if name is not None else data_source(snippet, given)
    if name is None and chosen is None and not outputs:
        snippet.use(CATALOG, "list_data_sets")
        snippet.add("for entry in list_data_sets():", "    print(entry.name, entry.title, entry.obtained)")
        return
    if name is not None and _means_items(name):
        snippet.call(
            "found",
            snippet.use(CATALOG, "open_items"),
            name,
            k=given.whole("k"),
            people=given.whole("people"),
            seed=given.whole("seed"),
        )
        snippet.add("print(found.users, found.k, found.counts)")
    else:
        n, plots, seed = given.whole("n"), given.all("plot"), given.whole("seed")
        if name is not None:
            target, people = given.take("target"), given.whole("people")
            snippet.call("data", snippet.use(CATALOG, "open_data"), name, target=target, people=people, seed=seed)
        elif chosen != Code("data"):
            raise NoPythonError("data without a name")
        snippet.add(f"found = data.grouped({n or 'data.own_n or 8'})", "print(found.groups, found.histogram)")
        for path in plots:
            snippet.use("mechdesign_figures", "plot_counts")
            snippet.picture(path, "plot_counts(found)")
    for path in outputs:
        snippet.leave_out(path, "data")


def _users_in_bins(snippet: Snippet, given: Given, bins: list[str]) -> None:
    file, column, columns = given.take("input"), given.take("column"), given.take("columns")
    snippet.call(
        "found",
        snippet.use(CATALOG, "count_bins"),
        file,
        column or [name.strip() for name in (columns or "").split(",")],
        bins if len(bins) > 1 else bins[0],
        given.take("beyond"),
    )
    snippet.add("print(found.users, found.counts)")


def _own_table(snippet: Snippet, given: Given, columns: str) -> None:
    file, way = given.take("input"), given.whole("tables")
    if file is None:
        raise NoPythonError("a named set of several attributes")
    names = [name.strip() for name in columns.split(",")]
    snippet.call("table", snippet.use(CATALOG, "read_item_table"), file, names)
    snippet.add("print(table.users, table.attributes, table.domains)")
    if way is not None:
        snippet.use("itertools", "combinations")
        snippet.add(
            f"for names in combinations(table.attributes, {way}):",
            "    print(names, table.taken(names).joint().frequencies)",
        )
    for path in given.all("domain-output"):
        snippet.use(CATALOG, "Attributes")
        snippet.write(path, "Attributes.of(dict(zip(table.attributes, table.domains))).csv_bytes()")


def _means_items(name: str) -> bool:
    from mechdesign_catalog.datasets.items import means_items  # takes a moment, and few steps need it

    return means_items(name)
