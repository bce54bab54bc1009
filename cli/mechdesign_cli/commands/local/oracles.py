"""The command `mechdesign local oracles`: local oracles side by side, and the best."""

import json as json_module
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from mechdesign.documents.tabular import Table
from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import float_below, fraction_text
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.choosing import chosen_of
from mechdesign_catalog.comparisons.design_floor import MOST_ITEMS, least_share
from mechdesign_catalog.comparisons.marginals_survey import recommendable, survey_marginals
from mechdesign_catalog.comparisons.survey import Cells, RatedOracle, best, near_best, survey_oracles
from mechdesign_catalog.comparisons.workload_survey import survey_workload
from mechdesign_catalog.decoders.decoder import NORM, RAW
from mechdesign_catalog.systems import make_oracle
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.memory_needs import fits
from mechdesign_cli.files.output import SUFFIXES
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import files_read
from mechdesign_cli.parsing.workloads import ItemsAndQueries
from mechdesign_cli.python_text import CATALOG, ENGINE, Code, PythonText
from mechdesign_cli.record import Command, option
from mechdesign_cli.showing.messages import print_result
from mechdesign_cli.showing.oracle_tables import (
    DesignFloor,
    show_design_floor,
    show_marginals_standings,
    show_standings,
    show_taken,
    show_workload_standings,
)


class Oracles(Command):
    """The list shows the variance of a rare item's share, a report's bits, how time grows, and which oracle is best.

    The subset size of ss is the best for the variance that is shown. The column source says whether an oracle comes
    from a paper or from this project.

    With --workload: the average and the largest variance of its answers at equal shares, by each oracle (flat:NAME) and
    by systems of levels. For marginals:K: those of all cells of all tables of K attributes. Tables are estimated so
    that they agree (least-squares), or one by one (raw). For up to 128 items, a bound says how far a design for the
    workload may lower the best variance.

    If a server needs more than a minute for the reports, its bytes, seconds and machines are estimated.

    Example: mechdesign local oracles --k 24 --epsilon 1.5 --users 60000 --liars 0.01

    Example: mechdesign local oracles --k 16 --epsilon 1 --workload prefixes --oracle prefix16.json

    Example: mechdesign local oracles --attributes 3,4,2 --epsilon 1 --users 100000 --workload marginals:2
    """

    items: ItemsAndQueries
    privacy: options.PrivacyOptions
    users: int = option("Number of users.", default=10_000, metavar="USERS")
    others: list[str] | None = option(
        "With --workload: also list this oracle, such as hh:b=5 or the file of a design (repeatable).",
        "--oracle",
        metavar="ORACLE",
    )
    liars: str | None = option(
        "Fraction of users who send any report they like: show how far they can move a share or an answer."
    )
    post: str | None = option(
        "With --workload: norm (default) uses that all shares add up to one; raw answers as the papers do.",
        autocompletion=options.words(NORM, RAW),
    )
    installed: bool = option("List oracles that other installed packages offer too.", "--all", default=False)
    output: options.Tables = None
    json: options.Json = False

    def run(self) -> None:
        """Rate the oracles, write the files and print."""
        privacy, files = Privacy(self.privacy.alpha, self.privacy.epsilon), self.output or []
        require_targets(files, None, files_read(None, self.items.workload, *(self.others or ())), SUFFIXES)
        asked = self.items.read()
        if isinstance(asked, int):
            make_oracle("grr", asked, privacy)  # says what is wrong with k
        listing = self._listed(asked, privacy)
        if self.items.workload is not None and isinstance(asked, Workload):
            taken = None if self.others or self.post == RAW else chosen_of(listing.standings, self.users)
            name = None if taken is None else taken.name
            listing = replace(listing, design=_design(asked, listing, self.items.workload), taken=name)
        document = json_module.dumps(listing.document(), indent=1) + "\n"
        table = Table.of([standing.entry() for standing in listing.standings]).csv_bytes()
        write_and_say({path: document.encode() if path.suffix.lower() == ".json" else table for path in files})
        print_result(self.json, lambda: document, listing.report, write=str)

    def _listed(self, workload: Workload | int, privacy: Privacy) -> "Listing":
        """Rate the oracles for what is asked.

        Raises:
            InputError: for others without a workload, and for oracles of other packages with one.
        """
        if self.installed and isinstance(workload, Workload):
            raise InputError(f"--all goes without --workload (there --oracle NAME lists one more), got {workload.name}")
        if self.others and not isinstance(workload, Workload):
            raise InputError(f"--oracle goes with --workload, got {shorten(self.others[0])} without one")
        if self.post is not None and (isinstance(workload, Marginals) or not isinstance(workload, Workload)):
            raise InputError(f"--post goes with a --workload on --k items, got {shorten(self.post)} without one")
        users, given = self.users, self.arguments("users", "output", "json")
        if isinstance(workload, Marginals):
            tables = survey_marginals(workload, privacy, users, **given)
            cells = {**workload_cells(workload), "attributes": list(workload.domains)}
            show = partial(show_marginals_standings, tables, workload, privacy, users)
            return Listing(tables, recommendable(tables), workload.k, privacy, users, cells, show, tables[0].bound)
        if isinstance(workload, Workload):
            found = survey_workload(workload, privacy, users, **given)
            show = partial(show_workload_standings, found, workload, privacy, users)
            return Listing(found, found, workload.k, privacy, users, workload_cells(workload), show, found[0].bound)
        standings = survey_oracles(workload, privacy, users, **given)
        show = partial(show_standings, standings, workload, privacy, users)
        return Listing(standings, standings, workload, privacy, users, {}, show)

    def python(self, text: PythonText) -> None:
        """Write a survey of the oracles for a domain or a workload."""
        text.call("privacy", text.use(ENGINE, "Privacy"), **self.privacy.arguments())
        asked: object = self.items.k
        survey = "survey_oracles"
        if self.items.workload is not None:
            self.items.python(text)
            asked, survey = Code("workload"), "survey_workload" if self.items.attributes is None else "survey_marginals"
        given = self.arguments("users", "output")
        text.call("standings", text.use(CATALOG, survey), asked, Code("privacy"), self.users, **given)
        text.add("for standing in standings:", "    print(standing.entry())")
        for path in self.output or ():
            text.leave_out(path, "local oracles")


@dataclass(frozen=True)
class Listing:
    """The oracles side by side, those that may be called best, what was asked, and how to show them."""

    standings: Sequence[RatedOracle]
    candidates: Sequence[RatedOracle]
    k: int
    privacy: Privacy
    users: int
    asked: Mapping[str, object]
    show: Callable[[], None]
    bound: Fraction | None = None
    design: DesignFloor | None = None
    taken: str | None = None

    def report(self) -> None:
        """Print the table, and the command for a design where one may save more than a little."""
        self.show()
        if self.taken is not None:
            show_taken(self.taken)
        show_design_floor(self.design)

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
        design: dict[str, object] = {}
        if self.asked:
            design["taken"] = self.taken
            design["bound"] = None if self.bound is None else float_below(self.bound)
            design["design"] = None if self.design is None else self.design.cells()
        return {"oracles": rows, "k": self.k, "n": self.users, **self.asked, **claim, **names, **design}


def _design(workload: Workload, listing: Listing, name: str) -> DesignFloor | None:
    """Say how little of the best oracle's variance a design may need, and how to ask for one, unless it is a design."""
    if not listing.candidates or isinstance((first := best(listing.candidates)).oracle, WorkloadOracle):
        return None
    share = least_share(listing.bound, first.variance) if workload.k <= MOST_ITEMS else None
    items = ["--k", str(workload.k), "--workload", name]
    if isinstance(workload, Marginals):
        domains = ",".join(map(str, workload.domains))
        items = ["--attributes", domains, "--workload", f"marginals:{workload.way}"]
    option, _, value = str(listing.privacy).partition("=")
    words = ["mechdesign", "local", "design", *items, f"--{option}", value]
    return None if share is None else DesignFloor(share, shlex.join(words))


def workload_cells(workload: Workload) -> dict[str, object]:
    """Return what a document tells of the workload."""
    return {"workload": workload.name, "queries": workload.count}
