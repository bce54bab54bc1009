"""Tables of systems, from the registries: each as its recipe, their leaves, their papers."""

import inspect
from collections.abc import Iterator
from dataclasses import MISSING, fields, replace
from fractions import Fraction

from extensions.command_pages import as_markdown
from mechdesign import InputError, Privacy, RowMechanism
from mechdesign.workloads.ordered import Histogram
from mechdesign_catalog.randomizers.oracle import LocalOracle
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.mean import MEAN_ORACLES
from mechdesign_catalog.systems.registry import ORACLES, PLANES, parse_oracle, with_sides
from mechdesign_catalog.systems.tables.registry import MARGINAL_CLASSES

ONE = Privacy(epsilon=1)
SIDES = 64, 128
DOMAINS = (2, 3, 90), (2, 2, 2)
"""Attributes of a sample; the second where a system takes two items each."""


def system_tables() -> dict[str, str]:
    """Return the text of each table by file name."""
    systems = list(samples())
    leaves: dict[str, LocalOracle] = {}
    for leaf in (leaf for system in systems for leaf in leaves_of(system)):
        leaves.setdefault(leaf.name, leaf)
    papers = {replace(source, part="") for one in (*systems, *leaves.values()) for source in one.sources}
    return {
        "systems.md": table("system | leaves | combinator | decoder | source | options", map(recipe, systems)),
        "leaves.md": table("leaf | what a user reports", ([f"`{name}`", report(leaves[name])] for name in leaves)),
        "papers.md": "".join(
            f"- {', '.join(filter(None, (paper.authors, paper.title and f'*{paper.title}*', paper.venue)))}\n"
            for paper in sorted(papers, key=lambda paper: (paper.authors, paper.venue))
        ),
    }


def table(head: str, rows: Iterator[list[str]]) -> str:
    """Return a Markdown table."""
    columns = head.count("|") + 1
    return "\n".join([f"| {head} |", "| --- " * columns + "|", *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def samples() -> Iterator[LocalOracle]:
    """Yield each system that is registered, with its usual options."""
    rows, columns = SIDES
    for name in (*ORACLES, *PLANES):
        yield parse_oracle(with_sides(name, SIDES), rows * columns, ONE)
    yield parse_oracle("design:none:L0", 4, ONE)
    yield WorkloadOracle.of(RowMechanism(Fraction(1, 3), ("10", "01"), (1, 1), 4), Histogram(2))
    for kind in MEAN_ORACLES.values():
        yield kind(rows, ONE, Fraction(1))
    for system in MARGINAL_CLASSES:
        try:
            yield system(DOMAINS[0], ONE)
        except InputError:
            yield system(DOMAINS[1], ONE)


def leaves_of(system: LocalOracle) -> Iterator[LocalOracle]:
    """Yield the leaves that reports of a system go through: its parts and theirs, or itself."""
    for part in dict.fromkeys(system.parts):
        yield from leaves_of(part)
    if not system.parts:
        yield system


def recipe(system: LocalOracle) -> list[str]:
    """Return the row of a system."""
    leaves = ", ".join(f"`{name}`" for name in dict.fromkeys(leaf.name for leaf in leaves_of(system)))
    return [f"`{system.name}`", leaves, system.combinator or "-", system.decoder, origin(system), options(system)]


def origin(system: LocalOracle) -> str:
    """Return the papers of a system, and whether it is of this project."""
    papers = "; ".join(source.short for source in system.sources)
    return papers if system.is_published else " after ".join(filter(None, ("own", papers)))


def options(system: LocalOracle) -> str:
    """Return the options of a system with their usual values, where these are the same for all."""
    usual = {field.name: field.default for field in fields(system)}
    names = {option: usual[name] for option, name in system.fields_by_option().items() if name not in GIVEN}
    told = (f"`{name}`" if value in (MISSING, None, "", ()) else f"`{name}={value}`" for name, value in names.items())
    return ", ".join(told) or "-"


GIVEN = ("k", "domains", "privacy")
"""What every system is made for."""


def report(leaf: LocalOracle) -> str:
    """Return what a leaf reports, as its class says it."""
    return as_markdown((inspect.getdoc(type(leaf)) or "").partition("\n")[0].replace("`", ""))
