"""Run `mechdesign release`: publish real counts through a mechanism."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from mechdesign.counts.release import MechanismChooser, ReleaseColumns, privacy_statement, release_rows
from mechdesign.designs import design
from mechdesign.documents.csv_rows import Cells
from mechdesign.documents.files import force_to_disk, require_other_files, require_writable, whole_file
from mechdesign.documents.storage import read_count_mechanism
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import WordSource, seeded_words
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.privacy import Privacy
from mechdesign.program.solvers.choice import choose_solver
from mechdesign_catalog.datasets.counts import CountHistogram, GroupedCounts, Synthetic
from mechdesign_cli.files.sources import Position, Source, open_table
from mechdesign_cli.parsing import data_options, options
from mechdesign_cli.parsing.choices import read_loss, read_prior, read_problem
from mechdesign_cli.parsing.data_options import DataRequest, group_in_public_order, say_what_was_dropped
from mechdesign_cli.showing.messages import say
from mechdesign_cli.showing.progress import progress_after_a_second

NOT_GIVEN = (None, None, "none", "L0", None, "highs", None)
"""The design options' defaults: alpha, epsilon, props, loss, prior, solver, time limit."""


def release(
    output: Annotated[Path, typer.Option("--output", "-o", help="CSV file for the released counts.")],
    mechanism: Annotated[Path | None, typer.Option("--mechanism", help="A design, for groups of one size.")] = None,
    data: Annotated[str | None, typer.Option("--data", help="Real counts: adult, adult-test, saxony, weldon.")] = None,
    target: data_options.Target = None,
    data_dir: data_options.DataFolder = None,
    input: Annotated[Path | None, typer.Option("--input", help="Your CSV file, with a header.")] = None,
    column: Annotated[str | None, typer.Option("--column", help="The column of true counts.")] = None,
    size: Annotated[
        str | None, typer.Option("--size", help="The column of group sizes; a design is made for each size.")
    ] = None,
    alpha: options.Alpha = None,
    epsilon: options.Epsilon = None,
    props: options.Properties = "none",
    loss: options.LossOption = "L0",
    prior: options.PriorOption = None,
    solver: options.SolverOption = "highs",
    time_limit: options.TimeLimit = None,
    keep_true: Annotated[bool, typer.Option("--keep-true", help="Keep the true counts in the output.")] = False,
    statement: Annotated[Path | None, typer.Option("--statement", help="Write the privacy statement here too.")] = None,
    seed: options.Seed = None,
) -> None:
    """Draw each count with exactly the probabilities of the mechanism, by randomness of the operating system.

    A statement says what is protected, and how much privacy is spent.

    Example: mechdesign release --data saxony --mechanism wm.json --output released.csv
    """
    request = DataRequest(data, target, data_dir=data_dir, input=input)
    request.check()
    _require_one("--mechanism", mechanism, "--size", size)
    _require_targets(output, statement, [path for path in (input, mechanism) if path is not None])
    words = _words(seed)
    if mechanism is not None:
        if (alpha, epsilon, props, loss, prior, solver, time_limit) != NOT_GIVEN:
            raise InputError("design options go with --size, got one beside --mechanism, which is designed already")
        chooser, n, spent = _one_for_all(mechanism, words)
    else:
        privacy = Privacy(alpha, epsilon)
        spent, n = read_problem(Model.count(1), privacy, props, "L0", None).alpha, None
        chooser = _by_size(privacy, props, loss, prior, solver, time_limit, words)

    with _open(request, seed, n) as source:
        columns = ReleaseColumns.find(source.header, column, size, keep_true, source.name)
        _say_what_is_kept(columns, input)
        with progress_after_a_second("releasing", source.total) as show:
            text = _write(
                source,
                columns,
                chooser,
                output,
                statement,
                lambda rows: show(source.position.read),
                lambda rows: privacy_statement(spent, n, rows, seed),
            )
    say(text.rstrip())
    for path in (output, statement):
        if path is not None:
            say(f"wrote {path}")


def _write(
    source: Source,
    columns: ReleaseColumns,
    chooser: MechanismChooser,
    output: Path,
    statement: Path | None,
    advance: Callable[[int], None],
    describe: Callable[[int], str],
) -> str:
    """The released table and the statement appear together or not at all; returns the statement."""
    with ExitStack() as stack:
        table = stack.enter_context(whole_file(output))
        page = None if statement is None else stack.enter_context(whole_file(statement))
        text = describe(release_rows(source.rows, columns, chooser, table, source.name, advance))
        force_to_disk(table)
        if page is not None:
            page.write(text)
            force_to_disk(page)
    return text


def _require_one(first: str, one: object, second: str, other: object) -> None:
    if (one is None) == (other is None):
        got = "neither" if one is None else "both"
        raise InputError(f"exactly one of {first} and {second} must be given, got {got}")


def _require_targets(output: Path, statement: Path | None, sources: list[Path]) -> None:
    targets = [path for path in (output, statement) if path is not None]
    for path in targets:
        require_writable(path)
    require_other_files(targets, sources)
    if statement is not None and statement.resolve() == output.resolve():
        raise InputError(f"statement and output must be two files, got {output} for both")


def _words(seed: int | None) -> WordSource | None:
    if seed is None:
        return None
    words = seeded_words(seed)
    say("warning: --seed makes the noise reproducible; the output is for simulation, not for release")
    return words


def _one_for_all(file: Path, words: WordSource | None) -> tuple[MechanismChooser, int, Fraction]:
    """The mechanism of a file, its n, and the exact alpha that it holds."""
    mechanism = read_count_mechanism(file)
    spent = tightest_alpha(mechanism.weights, NeighbourGraph.path(mechanism.n_inputs)).alpha
    assert spent is not None  # a mechanism of infinite epsilon is not read
    return MechanismChooser.one(mechanism, words), mechanism.n_inputs - 1, spent


def _by_size(
    privacy: Privacy,
    props: str,
    loss: str,
    prior: str | None,
    solver: str,
    time_limit: float | None,
    words: WordSource | None,
) -> MechanismChooser:
    chosen_loss, chosen_prior = read_loss(loss), read_prior(prior)
    choose_solver(solver)

    def make(n: int) -> Mechanism:
        problem = DesignProblem(n, privacy.alpha, properties=props, loss=chosen_loss, prior=chosen_prior)
        return design(problem, solver=solver, time_limit=time_limit).mechanism

    return MechanismChooser(make, words)


def _say_what_is_kept(columns: ReleaseColumns, input: Path | None) -> None:
    if columns.keep_true:
        say("warning: --keep-true leaves the true counts in the output; do not publish it")
    if input is not None:
        kept = [name for k, name in enumerate(columns.header) if k != columns.count or columns.keep_true]
        say(f"the order of the rows and these columns are published as they are: {', '.join(kept) or 'none'}")


@contextmanager
def _open(request: DataRequest, seed: int | None, n: int | None) -> Iterator[Source]:
    input = request.input
    if input is None:
        position = Position()
        column, grouped = _real_counts(request, seed, n)
        rows = [[str(count)] for count in grouped.counts.tolist()]
        yield Source([column], _counted(rows, position), grouped.source, len(rows), position)
        return
    with open_table(input) as source:
        yield source


def _real_counts(request: DataRequest, seed: int | None, n: int | None) -> tuple[str, GroupedCounts]:
    """What is counted, and the counts. Made-up ones are refused: nobody's privacy is kept, so no statement is true."""
    if n is None:
        raise InputError(f"--size goes with --input, got it with --data {request.data}")
    data = request.read(seed)
    if isinstance(data, Synthetic):
        raise InputError(
            f"data must be real counts to be released, got {data.name}, which is made up; to try it all the same: "
            f"mechdesign data {data.name} --n {n} --output counts.csv, and --input counts.csv"
        )
    if data.own_n not in (None, n):
        raise InputError(
            f"mechanism must have n = {data.own_n} for {data.name}, got n = {n}; "
            f"make one with mechdesign solve --n {data.own_n}"
        )
    grouped = group_in_public_order(data, n, seed)
    say_what_was_dropped(grouped)
    return (data.counted if isinstance(data, CountHistogram) else "count"), grouped


def _counted(rows: list[Cells], position: Position) -> Iterator[Cells]:
    for row in rows:
        position.read += 1
        yield row
