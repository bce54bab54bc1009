"""Run `mechdesign task receive`: check the messages of clients, and keep them as a file of reports."""

from pathlib import Path
from typing import Annotated

import typer

from mechdesign_catalog.collection.reports.messages import receive_messages
from mechdesign_catalog.collection.tasks.task_document import read_task
from mechdesign_cli.files.targets import require_targets
from mechdesign_cli.showing.messages import remark, say, say_wrote


def task_receive(
    messages: Annotated[Path, typer.Argument(help="A file with a message a line, in hexadecimal digits.")],
    task: Annotated[Path, typer.Option("--task", help="JSON file of the task that clients reported for.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Parquet file for the reports.")],
    raw: Annotated[
        bool, typer.Option("--raw", help="Messages are bytes that follow each other, without lines.")
    ] = False,
    batch: Annotated[
        str,
        typer.Option("--batch", help="Tells batches apart whose few messages are the same by chance, as 2026-11-20."),
    ] = "",
    drop_invalid: Annotated[
        bool,
        typer.Option("--drop-invalid", help="Leave out messages that no client makes; without it: no file."),
    ] = False,
) -> None:
    """Take one report for each message; `mechdesign aggregate` takes the file.

    One message that no client of the task makes refuses the whole file, unless --drop-invalid leaves it out. The same
    messages again, for the same batch, are recognised and never counted twice. REPORTS.md specifies messages.

    Example: mechdesign task receive messages.txt --task task.json --output reports.parquet
    """
    require_targets([output], None, [messages, task], (".parquet",))
    found = receive_messages(messages, read_task(task), output, raw=raw, batch=batch, drop_invalid=drop_invalid)
    say_wrote(output)
    say(f"{found.reports:,} reports" if found.reports != 1 else "1 report")
    if found.dropped:
        left = "1 message was" if found.dropped == 1 else f"{found.dropped:,} messages were"
        remark(f"{left} left out, which no client can have made")
