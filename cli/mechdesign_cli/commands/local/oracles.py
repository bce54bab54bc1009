"""Run `mechdesign oracles`: list the local oracles side by side, and name the best."""

import json as json_module
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated

import typer

from mechdesign.documents.workloads import parse_workload
from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import fraction_text
from mechdesign.workloads.marginals import Marginals, marginals_on, parse_attributes
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.marginals_survey import recommendable, survey_marginals
from mechdesign_catalog.comparisons.survey import Cells, best, near_best, survey_oracles
from mechdesign_catalog.comparisons.workload_survey import survey_workload
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.memory_needs import fits
from mechdesign_cli.parsing import options
from mechdesign_cli.showing.oracle_tables import (
    Ranked,
    show_marginals_standings,
    show_standings,
    show_workload_standings,
)


def oracles(
    k: Annotated[
        int | None, typer.Option("--k", help="Number of items in the domain.", parser=options.whole_number, metavar="K")
    ] = None,
    attributes: Annotated[
        str | None,
        typer.Option(
            "--attributes",
            help="In place of --k, for marginals:K: how many attributes of two items, or the items of each, as 3,4,2.",
        ),
    ] = None,
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
    (flat:NAME) and by systems of levels. For marginals:K, those of all cells of all tables of K attributes, by the
    systems for several attributes, with tables that agree (least-squares) or each by itself (raw).

    Example: mechdesign oracles --k 24 --epsilon 1.5 --n 60000

    Example: mechdesign oracles --k 1024 --epsilon 1 --n 1000000 --workload ranges

    Example: mechdesign oracles --attributes 3,4,2 --epsilon 1 --n 100000 --workload marginals:2
    """
    privacy = Privacy(alpha, epsilon)
    asked = _asked(k, attributes, workload, privacy)
    if isinstance(asked, Marginals):
        _show_for_marginals(asked, privacy, n, json)
    elif isinstance(asked, Workload):
        found = survey_workload(asked, privacy, n)
        if json:
            print_document(found, found, asked.k, privacy, n, workload_cells(asked))
        else:
            show_workload_standings(found, asked, privacy, n)
    else:
        standings = survey_oracles(asked, privacy, n)
        if json:
            print_document(standings, standings, asked, privacy, n)
        else:
            show_standings(standings, asked, privacy, n)


def _asked(k: int | None, attributes: str | None, workload: str | None, privacy: Privacy) -> Workload | int:
    """Return the workload; the number of items where none is named.

    Raises:
        InputError: unless there is either a number of items or attributes, these with a workload of tables.
    """
    if (k is None) == (attributes is None):
        raise InputError(f"exactly one of --k and --attributes must be given, got {'neither' if k is None else 'both'}")
    if attributes is not None:
        if workload is None:
            raise InputError(f"--attributes goes with --workload marginals:K, got none with {shorten(attributes)}")
        return marginals_on(parse_attributes(attributes), workload)
    assert k is not None
    make_oracle("grr", k, privacy)  # says what is wrong with k
    return k if workload is None else parse_workload(workload, k)


def _show_for_marginals(asked: Marginals, privacy: Privacy, users: int, json: bool) -> None:
    found = survey_marginals(asked, privacy, users)
    if json:
        cells = {**workload_cells(asked), "attributes": list(asked.domains)}
        print_document(found, recommendable(found), asked.k, privacy, users, cells)
    else:
        show_marginals_standings(found, asked, privacy, users)


def workload_cells(workload: Workload) -> dict[str, object]:
    """Return what a document tells of the workload."""
    return {"workload": workload.name, "queries": workload.count}


def print_document(
    standings: Sequence[Ranked],
    candidates: Sequence[Ranked],
    k: int,
    privacy: Privacy,
    users: int,
    asked: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """Print the rows as JSON, with the best oracle of the candidates and that with the fewest bits; null for none."""
    fitting = [standing for standing in candidates if fits(standing.oracle)]
    chosen = [best(fitting).name, near_best(fitting).name] if fitting else [None, None]
    names = dict(zip(("best", "lean"), chosen, strict=True))
    claim: Cells = {"alpha": fraction_text(privacy.alpha), "epsilon": privacy.epsilon}
    rows = [standing.entry() for standing in standings]
    print(json_module.dumps({"oracles": rows, "k": k, "n": users, **asked, **claim, **names}, indent=1))
