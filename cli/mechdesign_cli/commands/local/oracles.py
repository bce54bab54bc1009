"""Run `mechdesign oracles`: list the local oracles side by side, and name the best."""

import json as json_module
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import typer

from mechdesign.documents.tabular import Table
from mechdesign.documents.workloads import parse_workload
from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import fraction_text
from mechdesign.workloads.marginals import Marginals, marginals_on, parse_attributes
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.design_floor import least_share
from mechdesign_catalog.comparisons.marginals_survey import recommendable, survey_marginals
from mechdesign_catalog.comparisons.survey import Cells, best, near_best, survey_oracles
from mechdesign_catalog.comparisons.workload_survey import survey_workload
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.decoder import NORM
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle
from mechdesign_catalog.oracles.memory_needs import fits
from mechdesign_cli.comparisons.request import SUFFIXES
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import numbers, options
from mechdesign_cli.parsing.choices import files_read
from mechdesign_cli.showing.design_floors import DesignFloor, show_design_floor
from mechdesign_cli.showing.oracle_tables import (
    Ranked,
    show_marginals_standings,
    show_standings,
    show_workload_standings,
)


def oracles(
    k: Annotated[
        int | None, typer.Option("--k", help="Number of items in the domain.", parser=numbers.whole_number, metavar="K")
    ] = None,
    attributes: options.Attributes = None,
    epsilon: options.Epsilon = None,
    alpha: options.Alpha = None,
    n: Annotated[
        int, typer.Option("--n", help="Number of users.", parser=numbers.whole_number, metavar="USERS")
    ] = 10_000,
    workload: options.WorkloadName = None,
    oracle: Annotated[
        list[str] | None,
        typer.Option(
            "--oracle",
            help="With --workload: list this one too, the file of a design or hh:b=5; may be repeated.",
            metavar="ORACLE",
        ),
    ] = None,
    liars: Annotated[
        str | None,
        typer.Option(
            "--liars",
            help="Fraction of users who send any report they like: print how far they move a share or an answer.",
        ),
    ] = None,
    post: Annotated[
        str | None,
        typer.Option(
            "--post",
            help="With --workload: norm (default) for answers that use that all shares add up to one, or raw for those "
            "of the papers.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List oracles that other installed packages offer too.")] = False,
    output: options.Tables = None,
    json: options.Json = False,
) -> None:
    """Show the variance of a rare item's share, the bits of a report and how time grows, and which is best.

    ss is listed at its best subset size for what is shown. The column source says whether a mechanism is of a paper or
    this project's own.

    With --workload: the average and the largest variance of its answers at equal shares, by each oracle (flat:NAME) and
    by systems of levels. For marginals:K: those of all cells of all tables of K attributes. Tables are estimated to
    agree (least-squares) or one by one (raw). Up to 128 items: how far a design for the workload may cut the best
    variance.

    If reports take a server more than a minute: an estimate of bytes, seconds and machines.

    Example: mechdesign oracles --k 24 --epsilon 1.5 --n 60000 --liars 0.01

    Example: mechdesign oracles --k 1e6 --epsilon 1 --n 1e9

    Example: mechdesign oracles --k 64 --epsilon 1 --n 60000 --workload ranges --liars 0.01

    Example: mechdesign oracles --k 16 --epsilon 1 --workload prefixes --oracle prefix16.json

    Example: mechdesign oracles --k 1024 --epsilon 1 --n 1000000 --workload ranges --output oracles.csv

    Example: mechdesign oracles --attributes 3,4,2 --epsilon 1 --n 100000 --workload marginals:2
    """
    privacy = Privacy(alpha, epsilon)
    files = output or []
    require_targets(files, None, files_read(None, workload), SUFFIXES)
    asked = _asked(k, attributes, workload, privacy)
    listing = _listed(asked, privacy, n, liars, oracle or [], every, post)
    if workload is not None and isinstance(asked, Workload):
        listing = replace(listing, design=_design(asked, listing, workload))
    document = json_module.dumps(listing.document(), indent=1) + "\n"
    table = Table.of([standing.entry() for standing in listing.standings]).csv_bytes()
    write_and_say({path: document.encode() if path.suffix.lower() == ".json" else table for path in files})
    if json:
        print(document, end="")
    else:
        listing.show()
        show_design_floor(listing.design)


@dataclass(frozen=True)
class Listing:
    """Hold the oracles side by side, those that may be called best, what was asked, and how to show them."""

    standings: Sequence[Ranked]
    candidates: Sequence[Ranked]
    k: int
    privacy: Privacy
    users: int
    asked: Mapping[str, object]
    show: Callable[[], None]
    design: DesignFloor | None = None

    def document(self) -> dict[str, Any]:
        """Return the rows, and of the candidates the best, the best published, and the one of fewest bits; or null."""
        fitting = [standing for standing in self.candidates if fits(standing.oracle)]
        published = [standing for standing in fitting if standing.oracle.is_published]
        names: Cells = {
            "best": best(fitting).name if fitting else None,
            "best_published": best(published).name if published else None,
            "lean": near_best(fitting).name if fitting else None,
        }
        claim: Cells = {"alpha": fraction_text(self.privacy.alpha), "epsilon": self.privacy.epsilon}
        rows = [standing.entry() for standing in self.standings]
        design = {"design": None if self.design is None else self.design.cells()} if self.asked else {}
        return {"oracles": rows, "k": self.k, "n": self.users, **self.asked, **claim, **names, **design}


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


def _listed(
    asked: Workload | int,
    privacy: Privacy,
    users: int,
    liars: str | None,
    others: Sequence[str],
    every: bool,
    post: str | None,
) -> Listing:
    """Rate the oracles for what is asked.

    Raises:
        InputError: for others without a workload, and for oracles of other packages with one.
    """
    if every and isinstance(asked, Workload):
        raise InputError(f"--all goes without --workload (there --oracle NAME lists one more), got {asked.name}")
    if others and not isinstance(asked, Workload):
        raise InputError(f"--oracle goes with --workload, got {shorten(others[0])} without one")
    if post is not None and (isinstance(asked, Marginals) or not isinstance(asked, Workload)):
        raise InputError(f"--post goes with a --workload on --k items, got {shorten(post)} without one")
    if isinstance(asked, Marginals):
        tables = survey_marginals(asked, privacy, users, liars=liars, others=others)
        cells = {**workload_cells(asked), "attributes": list(asked.domains)}
        show = partial(show_marginals_standings, tables, asked, privacy, users)
        return Listing(tables, recommendable(tables), asked.k, privacy, users, cells, show)
    if isinstance(asked, Workload):
        found = survey_workload(asked, privacy, users, liars=liars, others=others, post=post or NORM)
        show = partial(show_workload_standings, found, asked, privacy, users)
        return Listing(found, found, asked.k, privacy, users, workload_cells(asked), show)
    standings = survey_oracles(asked, privacy, users, liars=liars, installed=every)
    return Listing(
        standings, standings, asked, privacy, users, {}, partial(show_standings, standings, asked, privacy, users)
    )


def _design(workload: Workload, listing: Listing, name: str) -> DesignFloor | None:
    """Say how little of the best oracle's variance a design may need, and how to ask for one, unless it is a design."""
    if not listing.candidates or isinstance((first := best(listing.candidates)).oracle, WorkloadOracle):
        return None
    share = least_share(workload, listing.privacy, first.variance, listing.users)
    items = ["--k", str(workload.k), "--workload", name]
    if isinstance(workload, Marginals):
        domains = ",".join(map(str, workload.domains))
        items = ["--attributes", domains, "--workload", f"marginals:{workload.way}"]
    option, _, value = str(listing.privacy).partition("=")
    words = ["mechdesign", "solve", *items, f"--{option}", value]
    return None if share is None else DesignFloor(share, shlex.join(words))


def workload_cells(workload: Workload) -> dict[str, object]:
    """Return what a document tells of the workload."""
    return {"workload": workload.name, "queries": workload.count}
