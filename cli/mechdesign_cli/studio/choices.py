"""Choices of the page's forms: names, titles and definitions, from where they are stated."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechdesign_cli.studio.options_table import Command

LARGEST_LATTICE = 32
"""The n up to which the page offers the price of every property set."""


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
    """Make the rest of the document of `GET /api/choices`; `sets` are those that `mechdesign data --json` lists."""
    from mechdesign.counts.error_metrics import KNOWN as METRICS
    from mechdesign.noise_tables.problem import OBJECTIVES, SHAPES, ZEROS
    from mechdesign.workloads.registry import FORMS
    from mechdesign_catalog.mechanisms.candidates import COUNT_FORMS, NAMED_DESIGNS
    from mechdesign_catalog.systems.registry import ORACLES

    return {
        "mechanisms": [*COUNT_FORMS, *NAMED_DESIGNS],
        "metrics": list(METRICS),
        "data": [entry for entry in sets if entry["kind"] == "counts"],
        "item_data": [entry for entry in sets if entry["kind"] == "items"],
        "oracles": list(ORACLES),
        "workloads": list(FORMS),
        "noise_tables": {"zeros": list(ZEROS), "shape": list(SHAPES), "objective": list(OBJECTIVES)},
        "commands": {name: command.document() for name, command in commands.items()},
    }


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
