"""Tasks in words, and the remark on a design that loses less privacy than allowed."""

from collections.abc import Iterator, Sequence

from mechdesign.errors import printable
from mechdesign.problem.privacy import epsilon_bounds, loss_text
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.randomizers.reports.report_schema import ByteStrings, PackedBits, ReportColumn
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle

MOST_SHOWN = 8
"""Columns of a report, or parts of its sums, at most."""


def task_lines(task: Task) -> Iterator[str]:
    """Describe a task: what is collected, about what, and with how much privacy."""
    oracle = task_oracle(task)
    yield f"task {task.digest}"
    yield f"oracle: {oracle.title} ({printable(options_text(task))})"
    yield f"privacy: {loss_text(oracle.alpha)}-LDP for each report by itself (claimed: {oracle.privacy.describe()})"
    yield f"about: {printable(domain_text(task))}"
    columns, parts = oracle.report_schema.columns, oracle.contribution.parts
    yield f"report: {', '.join(map(column_text, columns[:MOST_SHOWN]))}{more(columns)}"
    shown = (f"{part.name} ({part.length:,}: {part.kind})" for part in parts[:MOST_SHOWN])
    yield f"each user adds: {', '.join(shown)}{more(parts)}"


def column_text(column: ReportColumn) -> str:
    """Say what a column of a report holds, and in how many bytes."""
    if isinstance(column, ByteStrings):
        return f"{column.name} (the message of the oracle that {column.chosen_by} chooses)"
    size = f"{column.width:,} byte{'s' * (column.width > 1)}"
    if isinstance(column, PackedBits):
        return f"{column.name} ({column.bits:,} bits in {size})"
    how_many = "a number" if column.count in (None, 1) else f"{column.count:,} numbers"
    return f"{column.name} ({how_many} in {column.first}..{column.bound - 1:,}, {size})"


def more(listed: Sequence[object]) -> str:
    """Say how many are not shown."""
    return f" and {len(listed) - MOST_SHOWN:,} more" if len(listed) > MOST_SHOWN else ""


def options_text(task: Task) -> str:
    """Write the parameters but for the oracle's name; long ones, such as a matrix, by their length."""
    shown = {name: str(value) for name, value in task.parameters.items() if name != "oracle"}
    return ", ".join(
        f"{name}={text}" if len(text) <= 60 else f"{name} of {len(text):,} letters" for name, text in shown.items()
    )


def domain_text(task: Task) -> str:
    """Say what users have: an item, a bin, a number or an item of each attribute."""
    if task.columns:
        return f"an item of each of {len(task.columns)} attributes: {', '.join(task.columns)}"
    if task.bins:
        order = ", in order" if task.ordered else ""
        return f"one of {task.parameters['k']:,} bins ({' by '.join(task.bins)}){order}"
    if not task.domain_digest:
        return f"a number in 0..{task.parameters['maximum']}"
    listed = "listed here" if task.items is not None else f"listed elsewhere, with the SHA-256 {task.domain_digest}"
    return f"one of {task.parameters['k']:,} items, {listed}{', in order' if task.ordered else ''}"


SEEN = 1 + 1e-6
"""Losses nearer than this are the same to people."""


def smaller_loss_text(oracle: object) -> str | None:
    """Return the remark on a design that spends less than is claimed of it; None for other oracles."""
    if not isinstance(oracle, WorkloadOracle):
        return None
    own, claimed = (epsilon_bounds(alpha)[1] for alpha in (oracle.alpha, oracle.privacy.alpha))
    if claimed <= own * SEEN:
        return None
    return (
        f"the design was made for epsilon = {loss_text(oracle.alpha)}, and reports spend that; the "
        f"{loss_text(oracle.privacy.alpha)} asked for would allow a design with less noise"
    )
