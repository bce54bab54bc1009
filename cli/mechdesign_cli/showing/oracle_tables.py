"""Show local oracles side by side, and name the best."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from rich.table import Table

from mechdesign.problem.privacy import Privacy, loss_text
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.survey import Cells, Rated, Standing, best, near_best
from mechdesign_catalog.comparisons.workload_survey import WorkloadStanding
from mechdesign_catalog.oracles.memory_needs import fits
from mechdesign_cli.showing.messages import printable
from mechdesign_cli.showing.tables import console

GAP = 2
"""Columns of the terminal before each column but the first."""


class Ranked(Rated, Protocol):
    """A row of the table of oracles."""

    @property
    def name(self) -> str:
        """How the oracle is asked for."""

    @property
    def standard_error(self) -> float:
        """The root of its variance."""

    def entry(self) -> Cells:
        """Return the row as JSON has it."""


R = TypeVar("R", bound=Ranked)


def show_standings(standings: Sequence[Standing], k: int, privacy: Privacy, users: int) -> None:
    """Print the table for a rare item's share, and the best oracle in words."""
    screen = console()
    screen.print(f"{k:,} items, {privacy.describe()}, {users:,} users; variance of a rare item's share", style="bold")
    columns: dict[str, Callable[[Standing], str]] = {
        "variance": lambda s: f"{s.variance:.4g}",
        "standard error": lambda s: f"{s.standard_error:.4g}",
        "bits": lambda s: f"{s.oracle.bits:,.0f}",
        "time": lambda s: s.oracle.time_class,
    }
    screen.print(_table(standings, columns, ("time", "variance"), screen.width))
    _say_the_best(standings, users)
    for oracle in (standing.oracle for standing in standings):
        if not oracle.claim_is_tight:
            screen.print(f"{oracle.name}: spends {loss_text(oracle.alpha, 4)} of {privacy.describe()} a report")


def show_workload_standings(
    standings: Sequence[WorkloadStanding], workload: Workload, privacy: Privacy, users: int
) -> None:
    """Print the table for a workload's answers, and the best oracle in words."""
    screen = console()
    title = f"{workload.k:,} items, each as frequent, {privacy.describe()}, {users:,} users"
    screen.print(f"{title}; variance of the answers to {printable(workload.described)}", style="bold")
    columns: dict[str, Callable[[WorkloadStanding], str]] = {
        "average": lambda s: f"{s.variance:.4g}",
        "largest": lambda s: f"{'' if s.rating.is_exact else '>='}{s.rating.largest:.4g}",
        "standard error": lambda s: f"{s.standard_error:.4g}",
        "bits": lambda s: f"{s.oracle.bits:,.0f}",
        "time": lambda s: s.oracle.time_class,
    }
    screen.print(_table(standings, columns, ("standard error", "time", "largest"), screen.width))
    if not all(standing.rating.is_exact for standing in standings):
        screen.print(">= : the largest that was found; --json has a bound beside it where there is one")
    _say_the_best(standings, users)


def _say_the_best(standings: Sequence[R], users: int) -> None:
    screen = console()
    spares = [standing.name for standing in standings if not fits(standing.oracle)]
    if len(spares) == len(standings):
        screen.print("\nnone of them fits this machine's memory; take a smaller domain")
        return
    winner, frugal = best(standings), near_best(standings)
    screen.print(f"\nbest: {_praise(winner, users)}")
    if frugal.name != winner.name:
        screen.print(f"nearly as good with the fewest bits: {_praise(frugal, users)}")
    if spares:
        screen.print(f"too large for this machine's memory: {', '.join(spares)}")


def _praise(standing: Ranked, users: int) -> str:
    error = standing.standard_error
    return f"{standing.name}, standard error {error:.3g} ({error * users:,.0f} users), {standing.oracle.bits:,.0f} bits"


def _table(standings: Sequence[R], columns: dict[str, Callable[[R], str]], spare: Sequence[str], width: int) -> Table:
    """Return a table of the oracles; where it is too wide for the terminal, spare columns are left out one by one."""
    cells = {"oracle": [standing.name for standing in standings]}
    cells |= {name: [text(standing) for standing in standings] for name, text in columns.items()}
    for name in spare:
        if sum(max(map(len, (head, *texts))) + GAP for head, texts in cells.items()) - GAP > width:
            del cells[name]
    table = Table(box=None, pad_edge=False)
    for name in cells:
        table.add_column(name, justify="left" if name in ("oracle", "time") else "right", no_wrap=True)
    for row in zip(*cells.values(), strict=True):
        table.add_row(*row)
    return table
