"""Say in words what a task is."""

from collections.abc import Iterator

from mechdesign.problem.privacy import loss_text
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_cli.showing.messages import printable


def task_lines(task: Task) -> Iterator[str]:
    """Describe a task: what is collected, about what, and with how much privacy."""
    oracle = task_oracle(task)
    yield f"task {task.digest}"
    yield f"oracle: {oracle.title} ({printable(options_text(task))})"
    yield f"privacy: {loss_text(oracle.alpha)}-LDP for each report by itself (claimed: {oracle.privacy.describe()})"
    yield f"about: {printable(domain_text(task))}"


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
