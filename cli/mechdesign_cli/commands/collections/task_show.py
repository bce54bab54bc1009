"""Run `mechdesign task show`: read a task, check it, and say what it is."""

from pathlib import Path
from typing import Annotated

import typer

from mechdesign_catalog.collection.tasks.task_document import read_task, task_text
from mechdesign_cli.collections.task_text import task_lines
from mechdesign_cli.parsing import options


def task_show(
    task: Annotated[Path, typer.Argument(help="JSON file of a task.")],
    json: options.Json = False,
) -> None:
    """Check that its numbers follow from its parameters, and print them in words.

    Example: mechdesign task show task.json
    """
    found = read_task(task)
    if json:
        print(task_text(found), end="")
    else:
        for line in task_lines(found):
            print(line)
