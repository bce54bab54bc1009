"""The command `mechdesign local task show`: a task, checked and in words."""

from pathlib import Path

from mechdesign_catalog.collection.tasks.task_document import read_task, task_text
from mechdesign_cli.parsing import options
from mechdesign_cli.python_text import CATALOG, PythonText
from mechdesign_cli.record import REQUIRED, Command, argument
from mechdesign_cli.showing.tasks import task_lines


class TaskShow(Command):
    """The numbers of the task must follow from its parameters. They are printed in words.

    Example: mechdesign local task show task.json
    """

    task: Path = argument("JSON file of a task.", default=REQUIRED)
    json: options.Json = False

    def run(self) -> None:
        """Read the task and print it."""
        found = read_task(self.task)
        if self.json:
            print(task_text(found), end="")
        else:
            for line in task_lines(found):
                print(line)

    def python(self, text: PythonText) -> None:
        """Read a task, checked."""
        text.call("task", text.use(CATALOG, "read_task"), self.task)
        text.add("print(task.parameters)")
