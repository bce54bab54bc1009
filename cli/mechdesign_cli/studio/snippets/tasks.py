"""Write `task new`, `task show` and `task receive` as Python."""

from collections.abc import Sequence

from mechdesign_cli.studio.snippets.snippet import Code, Given, NoPythonError, Snippet

CATALOG = "mechdesign_catalog"


def task_new(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Settle what a collection is about, and write its document."""
    columns, bins = given.take("columns"), given.all("bins")
    snippet.call(
        "task",
        snippet.use(CATALOG, "make_task"),
        given.take("oracle"),
        alpha=given.take("alpha"),
        epsilon=given.take("epsilon"),
        k=given.whole("k"),
        domain=given.take("domain"),
        bins=None if not bins else bins[0] if len(bins) == 1 else bins,
        ordered=given.flag("ordered") or None,
        columns=None if columns is None else [name.strip() for name in columns.split(",")],
        maximum=given.take("maximum"),
    )
    for path in given.all("output"):
        snippet.call("", snippet.use(CATALOG, "save_task"), Code("task"), path)


def task_show(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Read a task, checked."""
    if len(arguments) != 1:
        raise NoPythonError("one task")
    read_task(snippet, arguments[0])
    snippet.add("print(task.parameters)")


def task_receive(snippet: Snippet, arguments: Sequence[str], given: Given) -> None:
    """Check messages, and write their reports."""
    task, outputs = given.take("task"), given.all("output")
    if len(arguments) != 1 or task is None or len(outputs) != 1:
        raise NoPythonError("one file of messages, and one of reports")
    read_task(snippet, task)
    receive = snippet.use(CATALOG, "receive_messages")
    raw = given.flag("raw") or None
    drop = given.flag("drop-invalid") or None
    batch = given.take("batch", "")
    snippet.call("", receive, arguments[0], Code("task"), outputs[0], raw=raw, batch=batch, drop_invalid=drop)


def read_task(snippet: Snippet, path: str) -> None:
    """Add the line that reads a task."""
    snippet.call("task", snippet.use(CATALOG, "read_task"), path)
