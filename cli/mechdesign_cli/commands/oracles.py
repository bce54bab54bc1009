"""Run `mechdesign oracles`: list the local oracles side by side, and name the best."""

import json as json_module
from typing import Annotated

import typer
from rich.table import Table

from mechdesign.problem.privacy import Privacy, loss_text
from mechdesign.rational import fraction_text
from mechdesign_catalog.comparisons.survey import Standing, best, near_best, survey_oracles
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.memory_needs import fits
from mechdesign_cli.parsing import options
from mechdesign_cli.showing.tables import console

NARROW = 72


def oracles(
    k: Annotated[
        int, typer.Option("--k", help="Number of items in the domain.", parser=options.whole_number, metavar="K")
    ],
    epsilon: options.Epsilon = None,
    alpha: options.Alpha = None,
    n: Annotated[
        int, typer.Option("--n", help="Number of users.", parser=options.whole_number, metavar="USERS")
    ] = 10_000,
    json: options.Json = False,
) -> None:
    """Show the variance of a rare item's share, the bits of a report and how time grows, and which is best.

    Example: mechdesign oracles --k 24 --epsilon 1.5 --n 60000
    """
    privacy = Privacy(alpha, epsilon)
    make_oracle("grr", k, privacy)  # says what is wrong with k
    standings = survey_oracles(k, privacy, n)
    if json:
        rows = [standing.entry() for standing in standings]
        some_fit = any(fits(standing.oracle) for standing in standings)
        names = [choose(standings).oracle.name if some_fit else None for choose in (best, near_best)]
        chosen = dict(zip(("best", "lean"), names, strict=True))
        claim = {"alpha": fraction_text(privacy.alpha), "epsilon": privacy.epsilon}
        print(json_module.dumps({"oracles": rows, "k": k, "n": n, **claim, **chosen}, indent=1))
    else:
        report(standings, k, privacy, n)


def report(standings: list[Standing], k: int, privacy: Privacy, users: int) -> None:
    """Print the table, and the best oracle in words."""
    screen = console()
    screen.print(f"{k:,} items, {privacy.describe()}, {users:,} users; variance of a rare item's share", style="bold")
    screen.print(oracle_table(standings, screen.width < NARROW))
    spares = [standing.oracle for standing in standings if not fits(standing.oracle)]
    if len(spares) == len(standings):
        screen.print("\nnone of them fits this machine's memory; take a smaller domain")
    else:
        winner, frugal = best(standings), near_best(standings)
        screen.print(f"\nbest: {_praise(winner)}")
        if frugal.oracle.name != winner.oracle.name:
            screen.print(f"nearly as good with the fewest bits: {_praise(frugal)}")
        if spares:
            screen.print(f"too large for this machine's memory: {', '.join(oracle.name for oracle in spares)}")
    for oracle in (standing.oracle for standing in standings):
        if not oracle.claim_is_tight:
            screen.print(f"{oracle.name}: spends {loss_text(oracle.alpha, 4)} of {privacy.describe()} a report")


def _praise(standing: Standing) -> str:
    error, oracle = standing.standard_error, standing.oracle
    return f"{oracle.name}, standard error {error:.3g} ({error * standing.users:,.0f} users), {oracle.bits:,.0f} bits"


def oracle_table(standings: list[Standing], is_narrow: bool) -> Table:
    """Return a table of the oracles: variance, standard error (a share of the users), bits, time class.

    A narrow one leaves out two of them.
    """
    table = Table(box=None, pad_edge=False)
    names = ("standard error", "bits") if is_narrow else ("variance", "standard error", "bits")
    table.add_column("oracle", no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    if not is_narrow:
        table.add_column("time", no_wrap=True)
    for standing in standings:
        oracle = standing.oracle
        numbers = {
            "variance": f"{standing.variance:.4g}",
            "standard error": f"{standing.standard_error:.4g}",
            "bits": f"{oracle.bits:,.0f}",
        }
        table.add_row(oracle.name, *(numbers[name] for name in names), *([] if is_narrow else [oracle.time_class]))
    return table
