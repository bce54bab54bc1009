"""Run `mechdesign oracles`: list the local oracles side by side, and name the best."""

import json as json_module
from collections.abc import Sequence
from typing import Annotated

import typer

from mechdesign.documents.workloads import parse_workload
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import fraction_text
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.survey import Cells, best, near_best, survey_oracles
from mechdesign_catalog.comparisons.workload_survey import survey_workload
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.memory_needs import fits
from mechdesign_cli.parsing import options
from mechdesign_cli.showing.oracle_tables import Ranked, show_standings, show_workload_standings


def oracles(
    k: Annotated[
        int, typer.Option("--k", help="Number of items in the domain.", parser=options.whole_number, metavar="K")
    ],
    epsilon: options.Epsilon = None,
    alpha: options.Alpha = None,
    n: Annotated[
        int, typer.Option("--n", help="Number of users.", parser=options.whole_number, metavar="USERS")
    ] = 10_000,
    workload: options.WorkloadName = None,
    json: options.Json = False,
) -> None:
    """Show the variance of a rare item's share, the bits of a report and how time grows, and which is best.

    With --workload: the average and the largest variance of its answers where all items are as frequent, by each oracle
    (flat:NAME) and by systems of levels.

    Example: mechdesign oracles --k 24 --epsilon 1.5 --n 60000

    Example: mechdesign oracles --k 1024 --epsilon 1 --n 1000000 --workload ranges
    """
    privacy = Privacy(alpha, epsilon)
    make_oracle("grr", k, privacy)  # says what is wrong with k
    if workload is None:
        standings = survey_oracles(k, privacy, n)
        if json:
            print_document(standings, [s.oracle.name for s in (best(standings), near_best(standings))], k, privacy, n)
        else:
            show_standings(standings, k, privacy, n)
        return
    asked = parse_workload(workload, k)
    found = survey_workload(asked, privacy, n)
    if json:
        print_document(found, [s.name for s in (best(found), near_best(found))], k, privacy, n, asked)
    else:
        show_workload_standings(found, asked, privacy, n)


def print_document(
    standings: Sequence[Ranked],
    chosen: list[str],
    k: int,
    privacy: Privacy,
    users: int,
    workload: Workload | None = None,
) -> None:
    """Print the rows as JSON, with the best oracle and the best with the fewest bits; null where none fits."""
    some_fit = any(fits(standing.oracle) for standing in standings)
    names = dict(zip(("best", "lean"), chosen if some_fit else [None, None], strict=True))
    claim: Cells = {"alpha": fraction_text(privacy.alpha), "epsilon": privacy.epsilon}
    asked: Cells = {} if workload is None else {"workload": workload.name, "queries": workload.count}
    rows = [standing.entry() for standing in standings]
    print(json_module.dumps({"oracles": rows, "k": k, "n": users, **asked, **claim, **names}, indent=1))
