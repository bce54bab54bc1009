"""List the commands by room, each with one line on what it does.

Each is a function in a module of its name, in the room's folder. A name of two words (`ledger new`) is that of a
command in a group; its module and function have an underscore for the space.
"""

import re
from collections.abc import Sequence

ROOMS = {
    "designs": {
        "solve": "Design one optimal mechanism, with an exact proof.",
        "check": "Audit any matrix exactly, test claims, and repair it.",
        "derive": "Derive a mechanism from GM, or show why none exists.",
        "landscape": "Find what each property costs: all subsets by score.",
        "sweep": "Design many mechanisms: one row for each, resumable.",
        "report": "Report on a proved design, or convert its document.",
        "catalog": "List the mechanisms with a formula, or show one.",
    },
    "counts": {
        "release": "Publish real counts through a mechanism.",
        "estimate": "Estimate the true counts behind released ones.",
        "simulate": "Simulate a release by a seed: counts and errors.",
        "compare": "Compare mechanisms for counts side by side on data.",
        "data": "List the data sets, or show one of them.",
    },
    "local": {
        "oracles": "List the local (LDP) frequency oracles for a domain.",
        "compare-oracles": "Compare local oracles (LDP) side by side on items.",
    },
    "collections": {
        "task new": "Define a collection for all clients, in one document.",
        "task show": "Show a task, checked: its oracle, reports and sums.",
        "task receive": "Check messages of other clients and file the reports.",
        "task vectors": "Write test vectors for clients in other languages.",
        "privatize": "Replace each user's value by a private report (LDP).",
        "aggregate": "Estimate each item's share of users from reports (LDP).",
    },
    "ledgers": {
        "ledger new": "Make a ledger: a privacy budget for each data set.",
        "ledger list": "List what each data set has spent, and what is left.",
        "ledger export": "Write the entries of a ledger as a table.",
    },
    "others": {
        "studio": "Open the studio, a page in your browser.",
        "reproduce": "Reproduce published figures, tables and claims.",
        "completion": "Print the script that makes a shell complete commands.",
    },
}
"""The folders here, and their commands."""

SUMMARIES = {name: summary for commands in ROOMS.values() for name, summary in commands.items()}
"""In the order of `mechdesign --help`; the rest of a command's help is its function's docstring."""

GROUPS = {
    "task": "Define a collection: its oracle, epsilon and items.",
    "ledger": "Keep a privacy budget: what each data set has spent.",
}
"""The first words of the names of two, each with one line on what its commands are about."""


def function_name(command: str) -> str:
    """Return the name of a command's function, which is that of its module too."""
    return re.sub("[ -]", "_", command)


def module_name(command: str) -> str:
    """Return the full name of a command's module."""
    room = next(room for room, commands in ROOMS.items() if command in commands)
    return f"{__name__}.{room}.{function_name(command)}"


def command_of(words: Sequence[str]) -> str:
    """Return the command that a line begins with, which need not be one; "" for a line without words."""
    is_grouped = words[:1] and words[0] in GROUPS
    return " ".join(words[: 2 if is_grouped else 1])
