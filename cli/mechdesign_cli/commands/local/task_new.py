"""The command `mechdesign local task new`: a collection, settled in one document."""

from pathlib import Path

from mechdesign.problem.privacy import loss_text, privacy_if_given
from mechdesign_catalog.collection.clients.task_clients import make_task
from mechdesign_catalog.collection.tasks.task_document import save_task, task_text
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_cli.files.targets import require_targets
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.best_oracle import BestOracle
from mechdesign_cli.parsing.choices import files_read
from mechdesign_cli.parsing.items import ItemOptions, value_names
from mechdesign_cli.python_text import CATALOG, Code, PythonText
from mechdesign_cli.record import REQUIRED, Command, option
from mechdesign_cli.showing.messages import Kind, note_written, say
from mechdesign_cli.showing.tasks import smaller_loss_text


class TaskNew(Command):
    """The document has the oracle, its exact constants and the domain, so that no client computes an exponential.

    Every file of reports carries the task's digest: files, states and sums of another task are refused.
    REPORTS.md specifies clients in any language.

    Example: mechdesign local task new --oracle hrr --epsilon 1 --k 1000 --output task.json

    Example: mechdesign local task new --oracle best --workload prefixes --epsilon 1 --bins 0:120:1 --output ages.json

    Example: mechdesign local task new --oracle inpht:k=2 --epsilon 1 --domain attributes.csv --output task.json
    """

    oracle: str = option(
        "best, for --workload, or a name from mechdesign local oracles, with its options, such as hrr:t=2.",
        default=REQUIRED,
    )
    k: int | None = option("Instead of --domain: items are 0..K-1.", metavar="K")
    output: Path = option("JSON file for the task.", "--output", "-o", default=REQUIRED)
    json: options.Json = False
    privacy: options.PrivacyOptions
    items: ItemOptions
    best: BestOracle

    def run(self) -> None:
        """Make the task, write it, and say what it is."""
        require_targets(
            [self.output], None, [*files_read(self.items.domain, self.oracle), *self.best.sources], (".json",)
        )
        names = value_names(None, self.items.columns)
        given = self.arguments("oracle", "output", "json") | self.privacy.arguments() | self.items.arguments("columns")
        privacy = privacy_if_given(self.privacy.alpha, self.privacy.epsilon)
        oracle = self.best.name(self.oracle, self.items, privacy, self.k)
        assert oracle is not None
        task = make_task(oracle, **given, columns=names)
        save_task(task, self.output)
        note_written(self.output)
        made = task_oracle(task)
        if (smaller := smaller_loss_text(made)) is not None:
            say(smaller)
        say(f"task {task.digest[:16]} of {made.title}: a report is {loss_text(made.alpha)}-LDP by itself", Kind.SPENT)
        if self.json:
            print(task_text(task), end="")

    def python(self, text: PythonText) -> None:
        """Settle what a collection is about, and write its document."""
        given = self.arguments("oracle", "output", "json") | self.privacy.arguments() | self.items.named()
        oracle = self.best.python(text, self.oracle, **given)
        text.call("task", text.use(CATALOG, "make_task"), oracle, **given)
        text.call("", text.use(CATALOG, "save_task"), Code("task"), self.output)
