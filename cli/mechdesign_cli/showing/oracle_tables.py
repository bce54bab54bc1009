"""Tables of local oracles: the best one, and the variance that a design may need of it."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from mechdesign.documents.tabular import Column, words
from mechdesign.errors import printable, shorten
from mechdesign.machine import readable_bytes
from mechdesign.problem.privacy import Privacy, loss_text, rounded_down
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.marginals_survey import MarginalsStanding, recommendable
from mechdesign_catalog.comparisons.server_plans import CORES
from mechdesign_catalog.comparisons.survey import Cells, RatedOracle, Standing, best, near_best
from mechdesign_catalog.comparisons.workload_survey import RatedForWorkload, WorkloadStanding
from mechdesign_catalog.randomizers.facts.costs import MEASURED
from mechdesign_catalog.randomizers.facts.liars import MOST_PAIRS
from mechdesign_catalog.systems.memory_needs import fits
from mechdesign_cli.showing.tables import console, print_table, say_left_out

SOURCE = "source"
"""The column that tells mechanisms of papers from those of this project."""

TIMES = "times bound"
"""The column that tells how many times the bound an average variance is."""


def source_text(is_published: bool) -> str:
    """Say whether a mechanism is of a paper, or of this project and in no paper."""
    return "paper" if is_published else "own"


R = TypeVar("R", bound=RatedOracle)


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
    if standings[0].liars is not None:
        columns = {"worst bias": lambda s: f"{s.worst_bias:.4g}", **columns}
    _print_table(standings, columns, ("time", "variance"))
    _say_the_best(standings, users)
    _say_what_liars_do(standings)
    _show_plans(standings)
    for oracle in (standing.oracle for standing in standings):
        if not oracle.spends_whole_epsilon:
            screen.print(f"{oracle.title}: spends {loss_text(oracle.alpha, 4)} of {privacy.describe()} a report")


def _say_what_liars_do(standings: Sequence[Standing]) -> None:
    """Say what the worst bias is, and of which oracle it is the least."""
    first = standings[0]
    if first.liars is None:
        return
    least = min(standings, key=lambda standing: standing.worst_bias or 0.0)
    console().print(
        f"\nworst bias: how far {float(first.liars):.4g} of all users move an item's share by reports of their choice; "
        f"least for {least.name}. Users who only lie about their value move it by {float(first.liars):.4g}"
    )


LONG = 60.0
"""Seconds of one core from which on plans are shown."""


def _show_plans(standings: Sequence[Standing]) -> None:
    """Print what each collection that fits takes on paper, where it is more than a minute for one of them."""
    fitting = [standing for standing in standings if fits(standing.oracle)]
    if max((standing.plan.seconds for standing in fitting), default=0.0) < LONG:
        return
    screen = console()
    screen.print(
        f"\na plan on paper, by constants of {MEASURED}: reports, seconds of one core to add them up, and machines of "
        f"{CORES} cores that are done in an hour"
    )
    columns: dict[str, Callable[[Standing], str]] = {
        "sent": lambda s: readable_bytes(s.plan.sent_bytes),
        "seconds": lambda s: f"{s.plan.seconds:,.0f}",
        "machines": lambda s: f"{s.plan.machines:,}",
    }
    _print_table(sorted(fitting, key=lambda s: s.plan.seconds), columns, ())


def show_workload_standings(
    standings: Sequence[WorkloadStanding], workload: Workload, privacy: Privacy, users: int
) -> None:
    """Print the table for a workload's answers, and the best oracle in words."""
    screen = console()
    title = f"{workload.k:,} items, each as frequent, {privacy.describe()}, {users:,} users"
    screen.print(f"{title}; variance of the answers to {printable(workload.described)}", style="bold")
    columns: dict[str, Callable[[WorkloadStanding], str]] = {**WORKLOAD_COLUMNS}
    _print_with_liars(standings, standings[0].liars, columns)
    if not all(standing.rating.is_exact for standing in standings):
        screen.print(">= : the largest that was found; --json has a bound beside it where there is one")
    _say_the_best(standings, users)
    _say_the_bound(standings)
    _say_what_liars_do_to(standings, standings[0].liars, "an answer")


A = TypeVar("A", bound=RatedForWorkload)


def show_taken(name: str) -> None:
    """Say which oracle the name `best` stands for."""
    console().print(f"--oracle best takes {name}; of those within 1 % of the least variance its reports are shortest")


def _say_the_bound(standings: Sequence[RatedForWorkload]) -> None:
    """Say which average variance no local mechanism is below, where that is known."""
    if (bound := standings[0].bound) is not None:
        console().print(
            f"bound: {rounded_down(bound, 4)}; no local mechanism with one report a user, and unbiased answers linear "
            "in the counts of reports, has a smaller average variance at equal shares"
        )


def _print_with_liars(
    standings: Sequence[A], liars: Fraction | None, columns: Mapping[str, Callable[[A], str]]
) -> None:
    """Print a table for a workload, with what liars do in front where there are any."""
    if liars is not None:
        columns = {"worst bias": lambda s: "" if s.worst_bias is None else s.worst_bias.text, **columns}
    _print_table(standings, columns, ("standard error", "time", "largest", SOURCE))


def _say_what_liars_do_to(
    standings: Sequence[A], liars: Fraction | None, what: str, where: Callable[[A], str] = lambda standing: ""
) -> None:
    """Say what the worst bias is, whether it is a bound, and of which oracle it is the least."""
    screen = console()
    if liars is None:
        return
    known = [(standing.worst_bias, standing) for standing in standings if standing.worst_bias is not None]
    if not known:
        screen.print(f"\nworst bias: of at most {MOST_PAIRS:,} queries times items; take a smaller domain")
        return
    _, least = min(known, key=lambda pair: pair[0].value)
    screen.print(
        f"\nworst bias: how far {float(liars):.4g} of all users move {what} by reports of their choice, where users "
        f"are many; least for {least.name}{where(least)}"
    )
    if not all(worst.is_exact for worst, _ in known):
        screen.print("<= : an upper bound")


def _times_text(standing: RatedForWorkload) -> str:
    """Write how many times the bound a variance is, which is rounded up; an estimate with two standard errors."""
    times, interval = standing.times_bound, standing.times_bound_interval
    if interval is not None:
        return f"{sum(interval) / 2:.3f} +- {(interval[1] - interval[0]) / 2:.3f}"
    return "" if times is None else f"{times:.3f}" if times < MANY else f"{math.ceil(times):,}"


MANY = 100
"""From here on a multiple is told as a whole number."""

WORKLOAD_COLUMNS: dict[str, Callable[[RatedForWorkload], str]] = {
    "average": lambda s: f"{'~' if s.rating.error else ''}{s.variance:.4g}",
    "largest": lambda s: f"{'' if s.rating.is_exact else '>='}{s.rating.largest:.4g}",
    TIMES: _times_text,
    "standard error": lambda s: f"{s.standard_error:.4g}",
    "bits": lambda s: f"{s.oracle.bits:,.0f}",
    "time": lambda s: s.oracle.time_class,
}


def show_marginals_standings(
    standings: Sequence[MarginalsStanding], workload: Marginals, privacy: Privacy, users: int
) -> None:
    """Print the table for all cells of all marginal tables, the best oracle in words, and what must not be missed."""
    screen = console()
    tables = math.comb(len(workload.domains), workload.way)
    asked = f"{workload.count:,} cells of {tables:,} table{'' if tables == 1 else 's'} (marginals:{workload.way})"
    title = f"{_attributes(workload)}, each tuple as frequent, {privacy.describe()}, {users:,} users"
    screen.print(f"{title}; variance of the shares of {asked}", style="bold")
    columns: dict[str, Callable[[MarginalsStanding], str]] = {"tables": lambda s: s.post or "", **WORKLOAD_COLUMNS}
    liars = None if standings[0].lies is None else standings[0].lies.liars
    _print_with_liars(standings, liars, columns)
    candidates = recommendable(standings)
    if candidates:
        _say_the_best(candidates, users)
    else:
        screen.print("\nnone of them has enough users; take fewer attributes, or a smaller K")
    _say_the_bound(standings)
    if unsure := _names(standing for standing in standings if not standing.is_sure):
        screen.print(f"too few users, with whom a part of the tables may get no report: {unsure}")
    _say_what_loses_more(standings)
    _say_what_liars_do_to(standings, liars, "a cell of a table", _where)


def _where(standing: MarginalsStanding) -> str:
    """Name the table of which liars move a cell furthest."""
    if standing.lies is None or standing.lies.attributes is None:
        return ""
    own = [str(i + 1) for i in standing.lies.attributes]
    return f", most in the table of attribute{'s' * (len(own) > 1)} {', '.join(own)}"


def _attributes(workload: Marginals) -> str:
    """Say how many attributes there are, and how many items they have."""
    count, sizes = len(workload.domains), sorted(set(workload.domains))
    listed = str(sizes[0]) if len(sizes) == 1 else shorten(", ".join(map(str, workload.domains)))
    return f"{count} attribute{'' if count == 1 else 's'} with {listed} items"


def _names(standings: Iterable[RatedOracle]) -> str:
    """List the oracles, each once."""
    return ", ".join(dict.fromkeys(standing.name for standing in standings))


def _say_what_loses_more(standings: Sequence[MarginalsStanding]) -> None:
    """Name the oracles that lose more than is claimed."""
    for oracle in dict.fromkeys(standing.oracle for standing in standings if standing.loses_more):
        lost = (
            f"whole tuples lose epsilon = {loss_text(oracle.alpha, 4)} where {oracle.privacy.describe()} is asked for"
        )
        console().print(f"{oracle.title}: {lost}; it is NOT epsilon-LDP, and not called best")


def _say_the_best(standings: Sequence[R], users: int) -> None:
    screen = console()
    spares = [standing for standing in standings if not fits(standing.oracle)]
    if len(spares) == len(standings):
        screen.print("\nnone of them fits this machine's memory; take a smaller domain")
        return
    winner, frugal = best(standings), near_best(standings)
    screen.print(f"\nbest: {_praise(winner, users)}")
    published = [standing for standing in standings if standing.oracle.is_published and fits(standing.oracle)]
    if published and not winner.oracle.is_published:
        screen.print(f"best published: {_praise(best(published), users)}")
    if frugal.name != winner.name:
        screen.print(f"nearly as good with the fewest bits: {_praise(frugal, users)}")
    if spares:
        screen.print(f"too large for this machine's memory: {_names(spares)}")


def _praise(standing: RatedOracle, users: int) -> str:
    error = standing.standard_error
    return f"{standing.name}, standard error {error:.3g} ({error * users:,.0f} users), {standing.oracle.bits:,.0f} bits"


def _print_table(standings: Sequence[R], columns: Mapping[str, Callable[[R], str]], spare: Sequence[str]) -> None:
    """Print a table of the oracles; where the terminal is too narrow, leave spare columns out one by one and say so."""
    table = [words("oracle", [standing.name for standing in standings], folds=True)]
    if not all(standing.oracle.is_published for standing in standings):
        table.append(words(SOURCE, [source_text(standing.oracle.is_published) for standing in standings]))
    for name, text in columns.items():
        table.append(Column(name, [text(standing) for standing in standings], is_number=name != "time"))
    say_left_out(print_table(table, spare))


LITTLE = 0.97
"""From this part on there is not much that a design could save."""


@dataclass(frozen=True)
class DesignFloor:
    """A part of the best oracle's variance that no local mechanism is below, and the command for a design."""

    share: float
    command: str

    def cells(self) -> Cells:
        """Return it as JSON has it."""
        return {"least_share": self.share, "command": self.command}


def show_design_floor(floor: DesignFloor | None) -> None:
    """Print the bound, and the command where a design may save more than a little."""
    if floor is None or floor.share >= LITTLE:
        return
    least = f"a design for this workload may cut the best one's variance to {floor.share:g} of it"
    console().print(f"\n{least}, and none to less at equal shares:\n{printable(floor.command)}")
