"""Run `mechdesign release`: publish real counts through a mechanism."""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from mechdesign.counts.release import ReleaseColumns
from mechdesign.documents.files import whole_file
from mechdesign.documents.sources import open_table, taps
from mechdesign.errors import InputError
from mechdesign.ledgers.names import USUAL_UNIT, checked_unit
from mechdesign.ledgers.payment import Payment, open_account
from mechdesign.mechanism.sampling import WordSource, seeded_words
from mechdesign.releases.designing import USUAL_LOSS, USUAL_PROPERTIES, GivenMechanism
from mechdesign.releases.files import require_places, require_recordable
from mechdesign.releases.forecasting import forecast_release
from mechdesign.releases.inputs import CountedAs, counted_table, table_of_counts
from mechdesign.releases.intervals import interval_confidence
from mechdesign.releases.paying import payment_for_release
from mechdesign.releases.publishing import Released, TrueCounts, publish
from mechdesign.releases.quoting import quote_release
from mechdesign.releases.record import spent_alpha
from mechdesign.releases.secret_key import InputDigest, open_key
from mechdesign.releases.staging import Places, Stage
from mechdesign.releases.statement import statement as statement_of
from mechdesign.releases.statement import wrapped
from mechdesign_cli.files.formulas import Formulas
from mechdesign_cli.files.release_options import Designs, file_of, file_or_name, read_designs, require_form
from mechdesign_cli.files.released_data import ReleasedData
from mechdesign_cli.parsing import data_options, ledger_options, options
from mechdesign_cli.parsing.data_options import require_one_source
from mechdesign_cli.showing.ledgers import say_spent
from mechdesign_cli.showing.messages import remark, say, say_wrote
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.releases import report_forecast

DONE, NO = 0, 1

PANELS = {
    "Where the counts come from": ("data", "target", "data_dir", "n", "input"),
    "Microdata, one unit a row": ("bit", "category", "group", "unit_column"),
    "A table of counts, one group a row": ("column", "size", "keep_true"),
    "The design": ("mechanism", "alpha", "epsilon", "props", "loss", "prior", "solver", "time_limit"),
    "A ledger of what is spent": ("ledger", "dataset", "part"),
    "What is published, and the rest": (
        *("output", "record", "intervals", "statement", "unit", "key"),
        *("dry_run", "discard", "replace", "seed", "help"),
    ),
}
"""How the help groups the options."""


def release(
    output: Annotated[Path, typer.Option("--output", "-o", help="CSV file for the released counts.")],
    mechanism: Annotated[
        str | None,
        typer.Option("--mechanism", help="GM or another name, for each size; or a FILE, for groups of one size."),
    ] = None,
    data: Annotated[str | None, typer.Option("--data", help="Real counts: adult, adult-test, saxony, weldon.")] = None,
    target: data_options.Target = None,
    data_dir: data_options.DataFolder = None,
    n: options.OptionalGroupSize = None,
    input: Annotated[Path | None, typer.Option("--input", help="Your file: CSV with a header, or .parquet.")] = None,
    bit: Annotated[
        str | None, typer.Option("--bit", help="Microdata: the column with 1 and 0, or COLUMN=YES/NO.")
    ] = None,
    category: Annotated[
        str | None, typer.Option("--category", help="Microdata: COLUMN=A/B/C, a count of each value in each group.")
    ] = None,
    group: Annotated[
        str | None,
        typer.Option("--group", help="Microdata: the column that names each unit's group, or REGION,GROUP."),
    ] = None,
    unit: Annotated[str, typer.Option("--unit", help="What is protected: person, household; one row of microdata.")] = (
        USUAL_UNIT
    ),
    unit_column: Annotated[
        str | None, typer.Option("--unit-column", help="Microdata: column of unit names; a name may occur once.")
    ] = None,
    column: Annotated[str | None, typer.Option("--column", help="The column of true counts.")] = None,
    size: Annotated[
        str | None, typer.Option("--size", help="The column of group sizes; each has a design, or many one law.")
    ] = None,
    alpha: options.Alpha = None,
    epsilon: options.Epsilon = None,
    props: Annotated[
        str | None, typer.Option("--props", help=f"Properties of the designs; {USUAL_PROPERTIES} if not given.")
    ] = None,
    loss: Annotated[
        str | None, typer.Option("--loss", help=f"Loss of the designs, as in solve; {USUAL_LOSS} if not given.")
    ] = None,
    prior: options.PriorOption = None,
    solver: Annotated[str | None, typer.Option("--solver", help="highs, or cvxpy:NAME such as cvxpy:CLARABEL.")] = None,
    time_limit: options.TimeLimit = None,
    keep_true: Annotated[bool, typer.Option("--keep-true", help="Keep the true counts in the output.")] = False,
    record: Annotated[
        Path | None, typer.Option("--record", help="JSON file: designs with proofs, sizes, digests, the statement.")
    ] = None,
    intervals: Annotated[
        str | None,
        typer.Option("--intervals", help="Confidence such as 0.95: the output has exact intervals of each true count."),
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--key", help="Secret key that binds the input to the record; made if absent.")
    ] = None,
    statement: Annotated[Path | None, typer.Option("--statement", help="Write the privacy statement here too.")] = None,
    ledger: ledger_options.LedgerFile = None,
    dataset: ledger_options.Dataset = None,
    part: ledger_options.Part = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what it would take: sizes, seconds, bytes. Nothing is drawn.")
    ] = False,
    discard: Annotated[
        bool, typer.Option("--discard", help="Only delete what an interrupted release has drawn: it counts as spent.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Draw again though --output is there: it is lost, and both draws spend.")
    ] = False,
    seed: options.Seed = None,
) -> int:
    """Draw each count with exactly the probabilities of the mechanism, by randomness of the operating system.

    Groups are counted from microdata (--bit or --category, --group), or have their counts in a table (--column). A
    statement says what is protected, and how much privacy is spent; a record lets anybody check it. If a run is
    interrupted, run the same command again: it publishes what was already drawn.

    Example: mechdesign release --data saxony --alpha 0.9 --output released.csv --record release.json
    """
    places = Places.of(output, record)
    word = checked_unit(unit)
    account = open_account(ledger, dataset, part, word, seed)
    if discard:
        _discard(places, payment_for_release(account, places))
        return DONE
    require_one_source(data, input)
    request = ReleasedData(data, target, data_dir, n)
    chosen = file_or_name(mechanism)
    file = file_of(chosen)
    counted = CountedAs(word, bit, group, unit_column, column, size, category)
    require_form(request, input, counted, file, keep_true, record, key)
    targets = [path for path in (output, record, statement) if path is not None]
    require_places(places, targets, [path for path in (input, file, ledger) if path is not None], key)
    _require_endings(output, record)
    designs = read_designs(chosen, (alpha, epsilon), props, loss, prior, solver, time_limit, category)
    require_recordable(designs, places)
    confidence = None if intervals is None else interval_confidence(intervals, "intervals")
    hint = InputDigest(b"" if account is None else account.ledger.header.key)
    alpha_in_all = spent_alpha(designs.alpha, category or "")
    payment = payment_for_release(account, places, alpha_in_all, (lambda: "") if input is None else hint.result)
    payment.require_room()
    if dry_run:
        n = designs.size if isinstance(designs, GivenMechanism) else None
        table = request.table(n, word, keep_true, seed) if input is None else None
        return _rehearse(input, table, counted, designs, confidence, key is not None)
    words = _words(seed)
    if keep_true:
        remark("warning: --keep-true leaves the true counts in the output; do not publish it")
    formulas = Formulas()
    if input is None:
        table = request.table(designs.size if isinstance(designs, GivenMechanism) else None, word, keep_true, seed)
        named = dataclasses.replace(table, confidence=confidence)
        done = publish(named, designs, places, words, payment=payment, replaces=replace)
    else:
        with _open(input, counted, keep_true, key, designs, hint) as table:
            watched = dataclasses.replace(formulas.watch(table), confidence=confidence)
            done = publish(watched, designs, places, words, payment=payment, replaces=replace)
    say(formulas.remark)
    if record is None and file is None:
        say("without --record these counts can be neither checked nor estimated from later: nothing keeps the designs")
    _report(done, output, record, statement, key is not None)
    say_spent(payment)
    return DONE


def _rehearse(
    input: Path | None,
    table: TrueCounts | None,
    counted: CountedAs,
    designs: Designs,
    confidence: Fraction | None,
    has_key: bool,
) -> int:
    """Print what the release would take; exit code 1 where that is beyond what can be done."""
    if table is not None:
        assert table.size is not None
        sizes = {table.size: sum(1 for _ in table.rows)}
    else:
        assert input is not None
        with progress_after_a_second("counting", input.stat().st_size) as show:
            sizes = dict(quote_release(input, counted, designs, b"", show).sizes)
    found = forecast_release(sizes, designs, confidence, has_key)
    report_forecast(found, sizes, spent_alpha(designs.alpha, counted.category or ""), counted.unit)
    return DONE if found.obstacle is None else NO


def _require_endings(output: Path, record: Path | None) -> None:
    for what, path, ending in (("output", output, ".csv"), ("record", record, ".json")):
        if path is not None and path.suffix.lower() != ending:
            raise InputError(f"{what} must end in {ending}, got {path}")


@contextmanager
def _open(
    input: Path,
    counted: CountedAs,
    keep_true: bool,
    key: Path | None,
    designs: Designs,
    hint: InputDigest,
) -> Iterator[TrueCounts]:
    """Open the user's file as a table of true counts; microdata are counted, and designed for, at once."""
    code = None if key is None else InputDigest(_key(key))
    with open_table(input, hint if code is None else taps(code, hint)) as source:
        if counted.group is not None:
            with progress_after_a_second("counting", source.total) as show:
                table, sizes = counted_table(source, input, counted, code, show)
            with progress_after_a_second("designing", len(set(sizes))) as show:
                designs.prepare(sizes, show)
            yield table
        else:
            columns = ReleaseColumns.find(source.header, counted.column, counted.size, keep_true, source.name)
            others = ", ".join(name for name in columns.written()[:-1]) or "none"
            remark(f"the order of the rows and these columns are published as they are: {others}")
            with progress_after_a_second("releasing", source.total) as show:
                yield table_of_counts(source, input, columns, counted.unit, code, show)


def _key(path: Path) -> bytes:
    key, new = open_key(path)
    if new:
        remark(f"wrote {path}: keep it secret, and apart from what is published")
    return key


def _words(seed: int | None) -> WordSource | None:
    if seed is None:
        return None
    remark("warning: --seed makes the noise reproducible; the output is for simulation, not for release")
    return seeded_words(seed)


def _report(done: Released, output: Path, record: Path | None, statement: Path | None, bound: bool) -> None:
    """Print the statement, write it where that is asked for, and say which files there are."""
    text = wrapped(statement_of(done.record))
    if statement is not None:
        with whole_file(statement) as stream:
            stream.write(text)
    say(text.rstrip())
    if done.found is Stage.PUBLISHED:
        groups = "this very input was" if bound else "groups of the same names and sizes were"
        say(f"{groups} released here on {done.record.date} already: nothing was drawn")
        unseen = "" if bound else "counts that were changed since are not in it; "
        say(f"{unseen}other names make another release, which spends another epsilon")
    else:
        if done.found is not None:
            say(f"an interrupted run had drawn this release on {done.record.date}: nothing was drawn anew")
        if done.changed is not None:
            say(f"the input was changed after that, at {done.changed:%Y-%m-%d %H:%M:%S} UTC: new counts are not in it;")
            say("the same command with --replace makes another release, which spends another epsilon")
        if done.replaced:
            say(f"{output} was there before and is replaced: if it was a release of the same counts that others")
            say("may have seen, both count as spent")
        _say_wrote([output, record])
    _say_wrote([statement])


def _say_wrote(paths: list[Path | None]) -> None:
    for path in paths:
        if path is not None:
            say_wrote(path)


def _discard(places: Places, payment: Payment) -> None:
    with places.alone():
        gone = places.discard()
        lost = payment.lose()
    if not gone:
        raise InputError(f"--discard needs an interrupted release, got none of {places.output}")
    for path in gone:
        say(f"deleted {path}")
    for entry in lost:
        say(f"entry {entry.number} of the ledger is paid and lost")
    say("what was drawn there counts as spent: whoever may have seen it holds one release more of these counts")
