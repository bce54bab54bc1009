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

MODELS = {"count": "Counts", "ldp": "Items (LDP)", "lldp": "Items (LLDP)", "metric": "Metric of a file"}
LOSSES = {"L0": "L0: wrong", "L0:1": "L0:1: off by 2+", "L1": "L1: distance", "L2": "L2: its square"}
METRICS = {"error-rate": "share wrong", "L0:1": "off by 2 or more", "rmse": "root mean square", "bias": "mean error"}
"""Short titles of models, of losses, and of the errors that the page compares by."""

WORKLOADS = {
    "ranges": "Ranges of items in order",
    "ranges:L": "Ranges of one length",
    "circular": "Arcs of items on a circle",
    "prefixes": "Prefixes: the distribution function",
    "grid": "Rectangles of a grid",
    "marginals": "Tables of several attributes",
    "histogram": "Shares of single items",
}
SIDES = {"": "ranges", "prefixes:": "prefixes", "circular:": "arcs of a circle", "histogram:": "single items"}
"""Titles of workloads by their names, without numbers, and of the sides of a grid by what stands before its length."""

LAWS = {
    "binomial:P": {"word": "binomial", "label": "P, the chance that a person is 1", "value": "0.2"},
    "zipf": {"word": "zipf", "label": "S, the exponent", "value": "1"},
    "constant:C": {"word": "constant", "label": "C, the count of every group", "value": "1"},
}
"""Made-up data sets with a parameter: the word before its colon, what it is, and what stands there at first."""


CONFIDENCES = (("0.95", "95 %"), ("0.9", "90 %"), ("0.99", "99 %"), ("", "none"))
"""Confidences of a release's intervals that the page offers, the first unless somebody chooses."""

COMPARED = ("GM", "WM", "EM", "UM")
"""Mechanisms that are compared at first."""

FORMATS = (
    (
        *("html", "HTML report"),
        "One page for colleagues and archives: the problem in words, heatmap, certificate, prices. It needs no network "
        "and prints well.",
    ),
    (
        *("page", "Page"),
        "One page to hand on: heat map to read by pointer and keys, column, seal, and the document inside. It has a "
        "script and needs no network.",
    ),
    (
        *("json", "JSON"),
        "The document: matrix in whole numbers, problem and proof. Everything here reads it again.",
    ),
    (
        *("csv", "CSV"),
        "The matrix as decimals, one row for each output, for spreadsheets and other programs. Decimals are rounded: "
        "the proof is in JSON and NPZ.",
    ),
    ("npz", "NPZ", "Arrays for NumPy, with the document inside."),
    ("vipr", "VIPR", "The linear program with its proof, for a checker that others wrote."),
    ("svg", "SVG", "The heatmap as a drawing that scales."),
    ("png", "PNG", "The heatmap as a picture."),
)
"""Files that a design is saved as: the ending (`page` is one of HTML too), its name, and what it is for."""


def list_first_choices(commands: Mapping[str, Command], ledger: Path | None = None) -> dict[str, Any]:
    """Make what the first panels begin with, of modules that a design needs anyway.

    `commands` are those of these panels.
    """
    from mechdesign.audits.audit import AUDIT_LOSSES
    from mechdesign.problem.model import MODELS as KNOWN
    from mechdesign.version import __version__

    return {
        "version": __version__,
        "models": [(name, MODELS[name]) for name in KNOWN],
        "properties": _properties(),
        "families": _families(),
        "losses": [(name, LOSSES[name]) for name in AUDIT_LOSSES],
        "limits": {"lattice_n": LARGEST_LATTICE},
        "confidences": CONFIDENCES,
        "formats": FORMATS,
        "ledger": None if ledger is None else str(ledger),
        **_forms(commands),
    }


def list_other_choices() -> dict[str, Any]:
    """Make the rest of the document of `GET /api/choices`."""
    from mechdesign_catalog.analyses.postprocessing import POSTPROCESSING
    from mechdesign_catalog.mechanisms.candidates import COUNT_FORMS, NAMED_DESIGNS
    from mechdesign_catalog.mechanisms.closed_forms import CLOSED_FORMS
    from mechdesign_catalog.systems.attributes.registry import TUPLE_FORMS
    from mechdesign_catalog.systems.registry import ORACLES
    from mechdesign_catalog.systems.tables.consistency.posts import TABLE_POSTS

    return {
        "mechanisms": [
            *((name, CLOSED_FORMS[name].title) for name in COUNT_FORMS),
            *((name, f"the best with {under_l0}") for name, (under_l0, _) in NAMED_DESIGNS.items()),
        ],
        "compared": COMPARED,
        "metrics": list(METRICS.items()),
        "workloads": list(WORKLOADS.items()),
        "sides": list(SIDES.items()),
        "whole_tuples": list(TUPLE_FORMS),
        "laws": LAWS,
        "notes": _notes(),
        "titles": {name: (kind.__doc__ or "").partition("\n")[0].replace("`", "") for name, kind in ORACLES.items()},
        "suggestions": {use: list(oracles) for use, oracles in SUGGESTIONS.items()},
        "posts": {"items": _titled(POSTPROCESSING), "tables": _titled(TABLE_POSTS)},
    }


def _notes() -> dict[str, str]:
    """Say what commands do, beside a form of the page, by the form."""
    from mechdesign_cli.parsing.workloads import MOST_BY_ROWS

    return {
        "design": "Seconds up to 24 items, half a minute at 32 and more; minutes for a narrow gap beyond. Ranges, arcs "
        f"and prefixes of more than {MOST_BY_ROWS} items are designed by levels, in seconds. Their levels are never "
        "nested, as those of the oracle warped-blocks are: for prefixes from epsilon 1.4 on, that oracle has less "
        "noise in Ranges and Collect.",
        "ranges": "blocks, hh and haar are systems of levels, made for ranges; warped-blocks is made for prefixes and "
        "quantiles. From epsilon 1.4 on its finest levels are nested: a report names a wide cell and holds labels "
        "inside it.",
        "marginals": "inpht: one Hadamard coefficient of the answers, good in most cases.",
    }


def _forms(commands: Mapping[str, Command]) -> dict[str, Any]:
    """Describe commands for the forms of the page, each by its name as one types it."""
    return {f"mechdesign {name}": command.document() for name, command in commands.items()}


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
