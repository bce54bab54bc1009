"""`mechdesign privatize`: what users report instead of their values."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from mechdesign import InputError
from mechdesign.problem import choose_alpha
from mechdesign.rational import as_rational, natural_log
from mechdesign.release import column_position
from mechdesign.sampling import seeded_words
from mechdesign_catalog.items import Domain, read_domain
from mechdesign_catalog.oracles import FrequencyOracle, parse_oracle, true_loss
from mechdesign_catalog.oracles.fit import require_fit, rows_at_once
from mechdesign_catalog.oracles.oracle import Values
from mechdesign_catalog.oracles.report_files import MOST_CHARACTERS, Header, write_reports
from mechdesign_cli import options
from mechdesign_cli.progress import progress_after_a_second
from mechdesign_cli.sources import Source, open_table
from mechdesign_cli.tables import say
from mechdesign_cli.targets import require_targets


def privatize(
    oracle: Annotated[
        str, typer.Option("--oracle", help="grr, sue, oue, blh, olh, hrr, ... with options: hrr:t=2, dbitflip:d=4.")
    ],
    input: Annotated[Path, typer.Option("--input", help="CSV file of private values, one user a row, with a header.")],
    domain: Annotated[Path, typer.Option("--domain", help="Public file of all items, one a line.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Parquet file for the reports.")],
    column: Annotated[
        str | None, typer.Option("--column", help="The column of values; the only one if not given.")
    ] = None,
    epsilon: options.Epsilon = None,
    alpha: options.Alpha = None,
    seed: options.Seed = None,
) -> None:
    """Replace each user's value by a report that is private by itself (LDP).

    The domain is a public file and never comes from the values. The reports go to `mechdesign aggregate`.

    Example: mechdesign privatize --oracle grr --epsilon 1 --input v.csv --domain d.txt -o reports.parquet
    """
    require_targets([output], None, [input, domain], (".parquet",))
    rational = choose_alpha(alpha, epsilon)
    items = read_domain(domain)
    client = parse_oracle(
        oracle, items.k, as_rational(epsilon if epsilon is not None else -natural_log(rational), "epsilon")
    )
    require_fit(client)
    words = None if seed is None else seeded_words(seed)
    if seed is not None:
        say("warning: --seed makes the noise reproducible; the output is for simulation, not for release")
    header = Header(client.parameters, items.digest, _few_enough(items), seed=seed)
    with open_table(input) as source, progress_after_a_second("privatizing", source.total) as show:
        at = value_column(source, column)
        pieces = (client.privatize(values, words) for values in _values(source, at, items, client, show))
        rows = write_reports(output, header, pieces)
    say(f"wrote {output}")
    say(statement(client, rows))


def value_column(source: Source, column: str | None) -> int:
    """Where the values stand."""
    if column is None and len(source.header) != 1:
        names = ", ".join(source.header)[:200]
        raise InputError(f"column must be named, got {len(source.header)} to choose from: {names}")
    return 0 if column is None else column_position(source.header, column, source.name)


def _values(
    source: Source, at: int, items: Domain, client: FrequencyOracle, show: Callable[[int], None]
) -> Iterator[Values]:
    done = 0
    while rows := list(islice(source.rows, rows_at_once(client))):
        yield items.encode([row[at] for row in rows], source.name, done + 1)
        done += len(rows)
        show(source.position.read)


def _few_enough(items: Domain) -> tuple[str, ...] | None:
    """The items for the header; None where they are too many to travel along."""
    return items.items if sum(map(len, items.items)) <= MOST_CHARACTERS else None


def statement(client: FrequencyOracle, rows: int) -> str:
    """What was spent, in words."""
    return (
        f"{rows:,} reports of {client.name}, each {true_loss(client):.6g}-LDP by itself (claimed: epsilon = "
        f"{float(client.epsilon):g}). Reporting the same value again spends as much again."
    )
