"""Choices of the page's forms: names, titles and definitions, from where they are stated."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechdesign_cli.studio.options_table import Command

LARGEST_LATTICE = 32
"""The n up to which the page offers the price of every property set."""


SUGGESTIONS = {
    "items": ("olh", "grr", "oue", "ss", "hrr", "sue", "blh", "hcms"),
    "bins": ("hh:b=2:in=ss-hrr:levels=ranges", "blocks", "warped-blocks", "hh:b=4", "haar", "oue", "olh"),
    "attributes": ("inpht:k=2", "margps:k=2", "margrr:k=2", "calm:k=2", "inprr:oue:k=2"),
    "mean": ("onebitmean",),
    "ranges": (
        *("hh:b=2:in=ss-hrr:levels=ranges", "blocks", "warped-blocks", "hh:b=4", "hh:b=16"),
        *("haar", "haar:levels=optimal", "flat:oue", "flat:hrr", "flat:olh"),
    ),
    "tables": ("inpht", "inpht:draw=uniform", "margps", "margrr", "calm", "inprr:oue", "inpps", "inpolh", "inpes"),
}
"""Oracles that the page suggests, by what they are asked for; the first is taken unless somebody chooses."""


def list_first_choices(release_folder: Path | None, ledger: Path | None = None) -> dict[str, Any]:
    """Make what the Design panel begins with, of modules that a design needs anyway."""
    from mechdesign.audits.audit import AUDIT_LOSSES
    from mechdesign.problem.model import MODELS
    from mechdesign.version import __version__

    return {
        "version": __version__,
        "models": list(MODELS),
        "properties": _properties(),
        "families": _families(),
        "losses": list(AUDIT_LOSSES),
        "aggregates": ["expected", "worst"],
        "limits": {"lattice_n": LARGEST_LATTICE},
        "release_folder": None if release_folder is None else str(release_folder),
        "ledger": None if ledger is None else str(ledger),
    }


def list_other_choices(commands: Mapping[str, Command], sets: list[dict[str, Any]]) -> dict[str, Any]:
    """Make the rest of the document of `GET /api/choices`.

    `commands` are those with a form, and `sets` those that `mechdesign data --json` lists.
    """
    from mechdesign.counts.error_metrics import KNOWN as METRICS
    from mechdesign.workloads.registry import FORMS
    from mechdesign_catalog.analyses.postprocessing import POSTPROCESSING
    from mechdesign_catalog.mechanisms.candidates import COUNT_FORMS, NAMED_DESIGNS
    from mechdesign_catalog.systems.registry import ORACLES
    from mechdesign_catalog.systems.tables.consistency.posts import TABLE_POSTS

    return {
        "mechanisms": [*COUNT_FORMS, *NAMED_DESIGNS],
        "metrics": list(METRICS),
        "data": [entry for entry in sets if entry["kind"] == "counts"],
        "item_data": [entry for entry in sets if entry["kind"] == "items"],
        "oracles": list(ORACLES),
        "workloads": list(FORMS),
        "suggestions": {use: list(oracles) for use, oracles in SUGGESTIONS.items()},
        "posts": {"items": _titled(POSTPROCESSING), "tables": _titled(TABLE_POSTS)},
        "commands": {name: command.document() for name, command in commands.items()},
    }


def _titled(ways: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List names, each with its name and title in one."""
    return [(name, f"{name}: {way.title}") for name, way in ways.items()]


def _properties() -> list[dict[str, Any]]:
    from mechdesign.problem.properties import PROPERTIES

    return [
        {"name": p.name, "title": p.title, "definition": p.statement, "lattice": p.in_lattice}
        for p in PROPERTIES.values()
    ]


def _families() -> list[dict[str, Any]]:
    from mechdesign.problem.properties import FAMILIES
    from mechdesign.rational import fraction_text

    found = []
    for family in FAMILIES.values():
        example = family.make(family.kind, Fraction(1))
        ends = {"largest": family.largest, "plain": family.plain}
        shown = {name: None if beta is None else fraction_text(beta) for name, beta in ends.items()}
        found.append({"name": family.kind, "title": example.title, "definition": example.statement, **shown})
    return found
