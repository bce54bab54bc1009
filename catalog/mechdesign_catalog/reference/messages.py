"""Messages of the reference client, for programs in other languages to be held against."""

from collections.abc import Sequence

from mechdesign.documents.files import FilePath
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_document import read_task, task_body
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.columns import written_message
from mechdesign_catalog.reference.stated import stated_oracle
from mechdesign_catalog.reference.systems import columns_of, report


def reference_message(task: Task | FilePath, value: int | Sequence[int], random: bytes | None = None) -> bytes:
    """Make one user's report of a task as bytes, drawn by the rules of REPORTS.md.

    Args:
        task: the task, or the JSON file of its document.
        value: the number of the user's item, counted from 0; of several attributes the numbers of all, in order.
        random: the bytes to draw from; bytes beyond those that are needed are not read. The operating system's where
            none are given.

    Raises:
        InputError: for a file that is no task, a value that the oracle does not take, or too few random bytes.
    """
    oracle = stated_oracle(task_body(task if isinstance(task, Task) else read_task(task)))
    stream = ByteStream.of_system() if random is None else ByteStream.of(random)
    row = report(oracle, value if isinstance(value, int) else tuple(value), stream)
    return written_message(columns_of(oracle), row)
