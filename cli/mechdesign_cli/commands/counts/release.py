"""The command `mechdesign release`: real counts, published through a mechanism."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from mechdesign.counts.release import ReleaseColumns
from mechdesign.documents.files import whole_file
from mechdesign.documents.sources import open_table, taps
from mechdesign.errors import InputError
from mechdesign.ledgers.names import USUAL_UNIT, checked_unit
from mechdesign.ledgers.payment import Payment
from mechdesign.mechanism.sampling import WordSource, seeded_words
from mechdesign.releases.designing import GivenMechanism
from mechdesign.releases.files import require_one_of_microdata, require_places, require_recordable
from mechdesign.releases.forecasting import forecast_release
from mechdesign.releases.inputs import InputColumns, counted_table, table_of_counts
from mechdesign.releases.intervals import interval_confidence
from mechdesign.releases.paying import payment_for_release
from mechdesign.releases.publishing import Released, TrueCounts, publish
from mechdesign.releases.quoting import ReleaseQuote, quote_release
from mechdesign.releases.record import spent_alpha
from mechdesign.releases.secret_key import InputDigest, open_key
from mechdesign.releases.staging import OutputPaths, Stage
from mechdesign.releases.statement import statement as statement_of
from mechdesign.releases.statement import wrapped
from mechdesign_cli.files.formulas import Formulas
from mechdesign_cli.files.release_designs import Designs, ReleaseDesigns
from mechdesign_cli.files.released_data import CountsToRelease
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.data_options import refuse_options, require_one_source
from mechdesign_cli.parsing.ledger_options import PayingLedger
from mechdesign_cli.parsing.options import remark_on_seed
from mechdesign_cli.python_text import ENGINE, PythonText
from mechdesign_cli.record import REQUIRED, Command, Group, option
from mechdesign_cli.showing.ledgers import note_spent
from mechdesign_cli.showing.messages import note_written, remark, say
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.releases import report_forecast

DONE, NO = 0, 1


class Microdata(Group, title="Microdata, one unit a row"):
    """The columns of a file with a row for each unit, whose groups are counted."""

    bit: str | None = option("The column with 1 or 0 for each unit, or COLUMN=YES/NO.")
    category: str | None = option("COLUMN=A/B/C: count each of these values in each group.")
    group: str | None = option("The column that names each unit's group, or REGION,GROUP.")
    unit_column: str | None = option("The column that names the units; each name may occur once.")


class CountTable(Group, title="A table of counts, one group a row"):
    """The columns of a file with a row for each group, which has its true count."""

    column: str | None = option("The column of true counts.")
    size: str | None = option("The column of group sizes; each gets a design, or many share one law.")
    keep_true: bool = option("Keep the true counts in the output.", default=False)


class Release(Command):
    """Each count is drawn with exactly the probabilities of the mechanism, by randomness of the operating system.

    Groups are counted from microdata (--bit or --category, --group), or have their counts in a table (--column). A
    statement says what is protected, and how much privacy is spent; a record lets anybody check it. If a run is
    interrupted, run the same command again: it publishes what was already drawn.

    Example: mechdesign release --data saxony --alpha 0.9 --output released.csv --record release.json
    """

    output: Path = option("The released counts.", "--output", "-o", default=REQUIRED, writes=(".csv",), metavar="CSV")
    record: Path | None = option("JSON record: designs with proofs, sizes, digests, the statement.", writes=(".json",))
    intervals: str | None = option("Add exact intervals of each true count, at a confidence such as 0.95.")
    statement: Path | None = option("Also write the privacy statement to this file.")
    unit: str = option("What is protected, such as person or household: one row of microdata.", default=USUAL_UNIT)
    key: Path | None = option("Secret key that binds the input to the record; created if absent.")
    dry_run: bool = option("Draw nothing; only report sizes, seconds and bytes.", default=False)
    discard: bool = option("Only delete what an interrupted release drew; it still counts as spent.", default=False)
    replace: bool = option("Draw again and overwrite --output; both draws count as spent.", default=False)
    seed: options.Seed = None
    source: CountsToRelease
    microdata: Microdata
    table: CountTable
    designs: ReleaseDesigns
    paying: PayingLedger

    @property
    def places(self) -> OutputPaths:
        """Where the output and the record go."""
        return OutputPaths.of(self.output, self.record)

    def run(self) -> int:
        """Release the counts and say what was done, or only what it would take, or discard what was drawn."""
        places, counted = self.places, self._counted()
        account = self.paying.open(counted.unit, self.seed)
        if self.discard:
            _discard(places, payment_for_release(account, places))
            return DONE
        require_one_source(self.source.data, self.source.input)
        self._require_form()
        self._require_places()
        designs, confidence = self._designs()
        hint = InputDigest(b"" if account is None else account.ledger.header.key)
        alpha_in_all = spent_alpha(designs.alpha, counted.category or "")
        of_input = (lambda: "") if self.source.input is None else hint.result
        payment = payment_for_release(account, places, alpha_in_all, of_input)
        payment.require_room()
        if self.dry_run:
            return self._rehearse(counted, designs, confidence)
        words = _words(self.seed)
        if self.table.keep_true:
            remark("warning: --keep-true leaves the true counts in the output; do not publish it")
        formulas = Formulas()
        with self._opened(counted, designs, hint) as table:
            watched = replace(formulas.watch(table), confidence=confidence)
            done = publish(watched, designs, places, words, payment=payment, replaces=self.replace)
        say(formulas.remark)
        if self.record is None and self.designs.file is None:
            lost = "can be neither checked nor estimated from later: nothing keeps the designs"
            say(f"without --record these counts {lost}")
        self._report(done)
        note_spent(payment)
        return DONE

    def quote(self, key: bytes, show: Callable[[int], None], patience: float | None = None) -> ReleaseQuote:
        """Say what the release of a file would spend; `key` is what its bytes are bound by.

        With `patience` seconds for designs it has a forecast.

        Raises:
            InputError: as `run`, and for what the input is unfit for.
        """
        assert self.source.input is not None
        counted = self._counted()
        self._require_form()
        designs, confidence = self._designs()
        return quote_release(self.source.input, counted, designs, key, show, confidence, patience)

    def python(self, text: PythonText) -> None:
        """Write a release of the counts in a file."""
        given = self.arguments("output", "statement", "dry_run", "discard") | self.microdata.arguments()
        given |= self.table.arguments("keep_true") | self.designs.python(text) | self.paying.arguments()
        text.call("record", text.use(ENGINE, "release_file"), self.source.input, self.output, **given)
        text.add("print(record)")

    def _counted(self) -> InputColumns:
        given = self.microdata.arguments() | self.table.arguments("keep_true")
        return InputColumns(checked_unit(self.unit), **given)

    def _designs(self) -> tuple[Designs, Fraction | None]:
        """Read the mechanisms, and the confidence of the intervals."""
        designs = self.designs.read(self.microdata.category)
        require_recordable(designs, self.places)
        return designs, None if self.intervals is None else interval_confidence(self.intervals, "intervals")

    def _require_form(self) -> None:
        """Refuse options that do not go together."""
        source, micro, table = self.source, self.microdata, self.table
        require_one_of_microdata(micro.bit, micro.category)
        counted = "bit" if micro.category is None else "category"
        counts = micro.bit or micro.category
        if source.input is None:
            given = {"size": table.size, **table.given("size", "keep_true"), **micro.given(), "key": self.key}
            refuse_options(given, "--input", f"--data {source.data}")
        else:
            refuse_options(source.given("data", "input"), "--data", "--input")
        if (counts is None) != (micro.group is None):
            alone = counted if micro.group is None else "group"
            raise InputError(f"--{counted} and --group go together, got --{alone} alone")
        if counts is not None:
            refuse_options(table.given(), "a table of counts", f"--{counted}")
        elif micro.unit_column is not None:
            raise InputError(f"--unit-column goes with --bit, got --unit-column {micro.unit_column} alone")
        elif source.input is not None and (self.designs.file is None) == (table.size is None):
            got = "neither" if table.size is None else "both"
            raise InputError(f"exactly one of --mechanism and --size must be given with a table of counts, got {got}")
        if table.keep_true and self.record is not None:
            raise InputError("--record goes with what is published, got it with --keep-true")

    def _require_places(self) -> None:
        """Refuse files that could not be written, or that are one and the same."""
        targets = [path for path in (self.output, self.record, self.statement) if path is not None]
        sources = [self.source.input, self.designs.file, self.paying.ledger]
        require_places(self.places, targets, [path for path in sources if path is not None], self.key)

    def _rehearse(self, counted: InputColumns, designs: Designs, confidence: Fraction | None) -> int:
        """Print what the release would take; exit code 1 where that is beyond what can be done."""
        if self.source.input is None:
            table = self._of_set(counted, designs)
            assert table.size is not None
            sizes = {table.size: sum(1 for _ in table.rows)}
        else:
            with progress_after_a_second("counting", self.source.input.stat().st_size) as show:
                sizes = dict(quote_release(self.source.input, counted, designs, b"", show).sizes)
        found = forecast_release(sizes, designs, confidence, self.key is not None)
        report_forecast(found, sizes, spent_alpha(designs.alpha, counted.category or ""), counted.unit)
        return DONE if found.obstacle is None else NO

    def _of_set(self, counted: InputColumns, designs: Designs) -> TrueCounts:
        size = designs.size if isinstance(designs, GivenMechanism) else None
        return self.source.table(size, counted.unit, self.table.keep_true, self.seed)

    @contextmanager
    def _opened(self, counted: InputColumns, designs: Designs, hint: InputDigest) -> Iterator[TrueCounts]:
        """Open the true counts; microdata of a file are counted, and designed for, at once."""
        input = self.source.input
        if input is None:
            yield self._of_set(counted, designs)
            return
        code = None if self.key is None else InputDigest(_key(self.key))
        with open_table(input, hint if code is None else taps(code, hint)) as source:
            if counted.group is not None:
                with progress_after_a_second("counting", source.total) as show:
                    table, sizes = counted_table(source, input, counted, code, show)
                with progress_after_a_second("designing", len(set(sizes))) as show:
                    designs.prepare(sizes, show)
                yield table
            else:
                columns = ReleaseColumns.find(
                    source.header, counted.column, counted.size, self.table.keep_true, source.name
                )
                others = ", ".join(name for name in columns.written()[:-1]) or "none"
                remark(f"the order of the rows and these columns are published as they are: {others}")
                with progress_after_a_second("releasing", source.total) as show:
                    yield table_of_counts(source, input, columns, counted.unit, code, show)

    def _report(self, done: Released) -> None:
        """Print the statement, write it where that is asked for, and say which files there are."""
        text, is_bound = wrapped(statement_of(done.record)), self.key is not None
        if self.statement is not None:
            with whole_file(self.statement) as stream:
                stream.write(text)
        say(text.rstrip())
        if done.earlier is Stage.PUBLISHED:
            groups = "this very input was" if is_bound else "groups of the same names and sizes were"
            say(f"{groups} released here on {done.record.date} already: nothing was drawn")
            unseen = "" if is_bound else "counts that were changed since are not in it; "
            say(f"{unseen}other names make another release, which spends another epsilon")
        else:
            if done.earlier is not None:
                say(f"an interrupted run had drawn this release on {done.record.date}: nothing was drawn anew")
            if done.changed is not None:
                changed = f"{done.changed:%Y-%m-%d %H:%M:%S} UTC"
                say(f"the input was changed after that, at {changed}: new counts are not in it;")
                say("the same command with --replace makes another release, which spends another epsilon")
            if done.replaced:
                replaced = f"{self.output} was there before and is replaced"
                say(f"{replaced}: if it was a release of the same counts that others")
                say("may have seen, both count as spent")
            _say_wrote([self.output, self.record])
        _say_wrote([self.statement])


def _key(path: Path) -> bytes:
    key, new = open_key(path)
    if new:
        remark(f"wrote {path}: keep it secret, and apart from what is published")
    return key


def _words(seed: int | None) -> WordSource | None:
    remark_on_seed(seed)
    return None if seed is None else seeded_words(seed)


def _say_wrote(paths: list[Path | None]) -> None:
    for path in paths:
        if path is not None:
            note_written(path)


def _discard(places: OutputPaths, payment: Payment) -> None:
    with places.alone():
        gone = places.discard()
        lost = payment.lose()
    if not gone:
        raise InputError(f"--discard needs an interrupted release, got none of {places.output}")
    for path in gone:
        say(f"deleted {path}")
    for entry in lost:
        say(f"entry {entry.number} of the ledger is paid and lost")
    say("what was drawn there counts as spent: anybody who has seen it has one more release of these counts")
