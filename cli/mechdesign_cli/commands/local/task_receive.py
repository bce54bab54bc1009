"""The command `mechdesign local task receive`: clients' messages, checked and kept."""

from pathlib import Path
from typing import Any

from mechdesign_catalog.collection.reports.messages import receive_messages
from mechdesign_catalog.collection.tasks.task_document import read_task
from mechdesign_cli.files.targets import require_targets
from mechdesign_cli.python_text import CATALOG, Code, PythonText
from mechdesign_cli.record import REQUIRED, Command, argument, option
from mechdesign_cli.showing.messages import note_written, remark, say


class TaskReceive(Command):
    """Each message becomes one report, in a file for mechdesign local aggregate.

    The whole file is refused if no client of the task can have made a message, unless --drop-invalid leaves it out. The
    same messages again, for the same batch, are recognised and never counted twice. REPORTS.md specifies the messages.

    Example: mechdesign local task receive messages.txt --task task.json --output reports.parquet
    """

    messages: Path = argument("File with one message on each line, in hexadecimal digits.", default=REQUIRED)
    task: Path = option("JSON file of the task that clients reported for.", default=REQUIRED)
    output: Path = option("Parquet file for the reports.", "--output", "-o", default=REQUIRED)
    raw: bool = option("The file has the bytes of one message after the other, without lines.", default=False)
    batch: str = option(
        "Name of the batch, such as 2026-11-20, which distinguishes small batches with equal messages.", default=""
    )
    drop_invalid: bool = option("Leave out messages that no client makes, instead of refusing the file.", default=False)

    def run(self) -> None:
        """Check the messages and write the file."""
        require_targets([self.output], None, [self.messages, self.task], (".parquet",))
        found = receive_messages(self.messages, read_task(self.task), self.output, **self._given())
        note_written(self.output)
        say(f"{found.reports:,} reports" if found.reports != 1 else "1 report")
        if found.dropped:
            left = "1 message was" if found.dropped == 1 else f"{found.dropped:,} messages were"
            remark(f"{left} left out, which no client can have made")

    def python(self, text: PythonText) -> None:
        """Check messages, and write their reports."""
        text.call("task", text.use(CATALOG, "read_task"), self.task)
        receive = text.use(CATALOG, "receive_messages")
        text.call("", receive, self.messages, Code("task"), self.output, **self._given())

    def _given(self) -> dict[str, Any]:
        return self.arguments("messages", "task", "output")
