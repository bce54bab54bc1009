"""The command `mechdesign local privatize`: the reports that users send for their values."""

import json as json_module
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mechdesign.documents.files import require_new
from mechdesign.documents.sources import open_table
from mechdesign.ledgers.names import USUAL_UNIT
from mechdesign.problem.privacy import loss_text, privacy_if_given
from mechdesign.rational import fraction_text
from mechdesign.releases.secret_key import InputDigest
from mechdesign_catalog.collection.clients.client import Client
from mechdesign_catalog.collection.clients.input_specification import InputSpecification
from mechdesign_catalog.collection.clients.paying import hint_prefix, paid_for, payment_for_collection, was_finished
from mechdesign_catalog.collection.clients.privatizing import require_together
from mechdesign_catalog.collection.clients.task_clients import client_for
from mechdesign_catalog.collection.reports.report_files import write_reports
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.tasks.task_document import read_task
from mechdesign_catalog.datasets.items.bins import Beyond
from mechdesign_catalog.randomizers.oracle import actual_epsilon
from mechdesign_cli.files.targets import require_targets
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.best_oracle import BestOracle
from mechdesign_cli.parsing.items import ItemOptions, ValueColumns, value_names
from mechdesign_cli.parsing.ledger_options import PayingLedger
from mechdesign_cli.python_text import CATALOG, Code, NoPythonError, PythonText
from mechdesign_cli.record import REQUIRED, Command, Group, option
from mechdesign_cli.showing.ledgers import note_spent
from mechdesign_cli.showing.messages import Kind, entries_of, note_written, remark, say
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.tasks import smaller_loss_text

LEVELS = re.compile(r"levels=[^:]+")
"""How the name of an oracle says how users share out over levels."""


class MemoryOptions(Group, title="Repeated collection"):
    """The memory by which users answer again and again without spending again."""

    user: str | None = option("The column that names the user, for repeated collection.")
    memory: Path | None = option("SECRET database of each user's permanent answers (dbitflip, onebitmean).")
    round_: str | None = option(
        "With --memory: name of the round; in it each user answers once (2026-11-20).", "--round"
    )

    def check(self) -> None:
        """Refuse one of them without the others."""
        require_together({"--user": self.user, "--memory": self.memory, "--round": self.round_})


class CollectionLedger(PayingLedger):
    """The ledger that pays for a collection, and the unit of a row of values."""

    unit: str = option("With --ledger: what one row is, and what the ledger protects.", default=USUAL_UNIT)


class Privatize(Command):
    """The output has one report for each row. A report is private on its own; estimates are made from all of them.

    The domain is a public file and never comes from the values; nor do bins. A bin holds the values from its lower edge
    to below its upper one. The number of clipped values is not reported, since it would leak.

    Running this again on the same people spends epsilon again, unless --memory keeps their answers. So without a memory
    an existing --output is refused before anything is drawn, unless you give --replace. With a memory a user's report
    stays the same while the value does. All rows are one batch of the round. Batches of a round add up, and the same
    batch again gives the same reports. A batch that shares only some users with others is refused.

    For several attributes, k is the largest number of them in a table. The oracles are inpht:k=2 (InpHT), inprr:oue and
    inprr:sue (InpRR), inpps (InpPS), margps (MargPS), marght (MargHT), margrr (MargRR with OUE) and margrr:sue. Others
    are inpem (InpEM, as RAPPOR collects), inpolh (InpOLH), inphtcms (InpHTCMS), inpes (Efron-Stein) and calm (CALM).
    The oracles spl, smp and rs+fd (SPL, SMP, RS+FD) print their true privacy loss.

    Example: mechdesign local privatize --oracle olh --epsilon 1 --input v.csv --column city --domain d.txt
    -o reports.parquet

    Example: mechdesign local privatize --oracle best --workload ranges --epsilon 1 --input ages.csv --column age
    --bins 0:120:1 --output ages.parquet

    Example: mechdesign local privatize --task task.json --input v.csv --column city --output cities.parquet
    """

    input: Path = option("Private values, one user a row: CSV with a header, or .parquet.", default=REQUIRED)
    column: str | None = option("The column of values; may be left out if there is only one.")
    oracle: str | None = option(
        "best, for --workload. Or a name from mechdesign local oracles, with its options: ss, hrr:t=2, haar; "
        "design:none:L0; the file of a design; onebitmean; for several attributes calm:k=2, spl."
    )
    task: Path | None = option("JSON file of a task, instead of oracle, privacy and domain.")
    beyond: str | None = option(
        "What happens to values outside the bins: refuse (default), or clip to the first or last bin.",
        autocompletion=options.words(*Beyond),
    )
    seed: options.Seed = None
    output: Path = option("Parquet file for the reports.", "--output", "-o", default=REQUIRED)
    replace: bool = option("Draw again and overwrite --output; both draws spend epsilon.", default=False)
    json: options.Json = False
    privacy: options.PrivacyOptions
    items: ItemOptions
    best: BestOracle
    again: MemoryOptions
    paying: CollectionLedger

    def run(self) -> None:
        """Make the reports, pay for them, and say what they spent."""
        items, memory, paying = self.items, self.again.memory, self.paying
        sources = [path for path in (self.input, items.domain, self.task, paying.ledger) if path is not None]
        sources += self.best.sources
        require_targets([self.output], None, sources, (".parquet",))
        self.again.check()
        if memory is not None:
            require_targets([memory], None, [*sources, self.output])
        account = paying.open(paying.unit, self.seed)
        names = value_names(self.column, items.columns)
        asked = InputSpecification(items.domain, items.bins, self.beyond, items.ordered, names, items.maximum)
        settled = None if self.task is None else read_task(self.task)
        privacy = privacy_if_given(self.privacy.alpha, self.privacy.epsilon)
        oracle = self.best.name(self.oracle, items, privacy)
        client, taken = client_for(asked, oracle, privacy, settled, self.seed)
        if (smaller := smaller_loss_text(client.oracle)) is not None:
            remark(smaller)
        if memory is not None and self.again.round_ is not None:
            client = client.remembering(memory, self.again.round_)
        options.remark_on_seed(self.seed)
        hint = InputDigest(b"" if account is None else account.ledger.header.key)
        hint(before := hint_prefix(client, [self.again.user, *(taken or ())]))
        payment = payment_for_collection(account, client, self.output, hint.result)
        if was_finished(payment, self.output, client.task, self.input, before):
            say(f"an interrupted run had written {self.output}: nothing was drawn anew")
            if memory is None:
                say("if that run took another column, the same command again draws anew, and spends another epsilon")
            note_spent(payment)
            return
        if memory is None and self.seed is None and not self.replace:
            require_new("output", self.output)
        payment.require_room()

        def begin() -> None:
            payment.reserve()
            say(client.losses, Kind.SPENT)

        with (
            open_table(self.input, hint) as source,
            progress_after_a_second("privatizing", source.total) as show,
            payment.drawing(),
        ):
            found = ValueColumns.find(source, taken, self.again.user, client.encoder.is_value)
            chunks = found.chunks(source, client.rows_at_once, show)
            collection = paid_for(client.collect(chunks, found.told(source), begin), payment)
            rows = write_reports(self.output, collection.header, collection.pieces)
        payment.deliver()
        note_written(self.output)
        report(client, rows, collection.remarks, oracle)
        note_spent(payment)
        if self.json:
            print(json_module.dumps(reports_document(client, collection.header, self.output, rows), indent=1))

    def python(self, text: PythonText) -> None:
        """Write private reports of the values in a file."""
        items = self.items
        if (self.column is None) == (items.columns is None):
            raise NoPythonError("columns that the file itself tells")
        text.read_rows(self.input)
        given = items.named()
        if self.task is not None:
            text.call("task", text.use(CATALOG, "read_task"), self.task)
        if self.column is not None:
            text.add(f"values = [row[{self.column!r}].strip() for row in rows]")
            if items.maximum is not None:
                text.add("values = [float(value) for value in values]")
        else:
            text.add(f"values = {{name: [row[name].strip() for row in rows] for name in {given['columns']!r}}}")
        oracle = self.best.python(text, self.oracle, **self.privacy.arguments(), **given)
        text.call(
            "reports",
            text.use(CATALOG, "privatize"),
            Code("values"),
            oracle if self.task is None else Code("task"),
            **self.privacy.arguments(),
            **given,
            beyond=self.beyond,
            seed=self.seed,
        )
        text.add(f"reports.save({str(self.output)!r})")


def report(client: Client, rows: int, remarks: Sequence[str], name: str | None) -> None:
    """Print on stderr, in words, how much privacy was spent; levels that were asked for by a word are called so."""
    oracle = client.oracle
    word, weights = LEVELS.search(name or ""), LEVELS.search(oracle.title)
    title = oracle.title if word is None or weights is None else oracle.title.replace(weights[0], word[0])
    reports, each = ("1 report", "") if rows == 1 else (f"{rows:,} reports", "each ")
    claim = f"claimed: {oracle.privacy.describe()}"
    say(f"{reports} of {title}, {each}{loss_text(oracle.alpha)}-LDP by itself ({claim})", Kind.SPENT)
    if word is not None and weights is not None and word[0] != weights[0]:
        say(f"{word[0]} is {weights[0]}: so users share out over the levels", Kind.OPTION)
    for text in remarks:
        say(text, Kind.NOTE if text in client.encoder.remarks else Kind.SPENT)


def reports_document(client: Client, header: Header, output: Path, rows: int) -> dict[str, Any]:
    """Return what a JSON document tells of the reports; nothing in it comes from a value.

    `loss_of_two_runs` is the epsilon of a user whose value was reported twice; null where a memory keeps the answers.
    """
    oracle = client.oracle
    loss = actual_epsilon(oracle)
    return {
        "file": output.name,
        "reports": rows,
        "oracle": oracle.name,
        **entries_of(oracle, "title", "parameters", "bits"),
        "epsilon": oracle.privacy.epsilon,
        "alpha": fraction_text(oracle.privacy.alpha),
        "actual_alpha": fraction_text(oracle.alpha),
        "actual_epsilon": loss,
        "keeps_claim": client.keeps_claim,
        "seed": header.seed,
        "loss_of_two_runs": None if header.memory else 2 * loss,
    }
