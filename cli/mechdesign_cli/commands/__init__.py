"""Commands by room, each with one line on what it does.

Each is a record in a module of its name, in the room's folder; those of `local` leave this word out. A name of several
words (`ledger new`) is that of a command in a group; its module has an underscore for each space.
"""

import re
from collections.abc import Sequence

ROOMS = {
    "counts": {
        "solve": "Design one optimal mechanism, with an exact proof.",
        "check": "Audit any matrix exactly, test claims, and repair it.",
        "calibrate": "Find the least epsilon for an error that you can accept.",
        "derive": "Show whether a mechanism is geometric noise, remapped.",
        "formula": "Find the best score for every alpha, as a formula.",
        "landscape": "Show what each property costs: every subset by score.",
        "sweep": "Design many mechanisms: one row for each, resumable.",
        "report": "Report on a proved design, or convert its document.",
        "catalog": "List the mechanisms with a formula, or show one.",
        "compare": "Compare mechanisms for counts side by side on data.",
        "release": "Publish real counts through a mechanism.",
        "estimate": "Estimate the true counts behind released ones.",
        "simulate": "Simulate a release by a seed: counts and errors.",
        "table design": "Design the best noise table for a statistics office.",
        "table compare": "Compare noise tables: privacy curves, variance, entropy.",
        "table apply": "Publish tables of counts through a noise table.",
        "table export": "Write a noise table for tau-Argus, SAS or the ONS.",
        "ledger new": "Make a ledger: a privacy budget for each data set.",
        "ledger list": "List what each data set has spent, and what is left.",
        "ledger export": "Write the entries of a ledger as a table.",
    },
    "local": {
        "local design": "Design the best reports for a workload, with a proof.",
        "local oracles": "List the frequency oracles for a domain, the best first.",
        "local calibrate": "Find the least epsilon, or the fewest users, for an error.",
        "local compare": "Compare oracles side by side on data.",
        "local task new": "Define a collection for all clients, in one document.",
        "local task show": "Check a task, and show its oracle, reports and sums.",
        "local task receive": "Check messages of other clients and save the reports.",
        "local task vectors": "Write test vectors for clients in other languages.",
        "local privatize": "Replace each user's value by a private report.",
        "local aggregate": "Estimate each item's share of the users from reports.",
        "local ranges": "Estimate shares of ranges, prefixes and quantiles.",
        "local marginals": "Estimate tables of several attributes from reports.",
        "local dependence": "Test which attributes depend on each other.",
    },
    "data": {
        "data": "List the data sets, or show one of them.",
        "reproduce": "Reproduce published figures, tables and claims.",
    },
    "tools": {
        "studio": "Open the studio, a page in your browser.",
        "completion": "Print the script that makes a shell complete commands.",
    },
}
"""The folders here, and their commands."""

TITLES = {"counts": "Counts", "local": "Local reports", "data": "Data and studies", "tools": "Tools"}
"""What `mechdesign --help` calls the rooms."""

SUMMARIES = {name: summary for commands in ROOMS.values() for name, summary in commands.items()}
"""In the order of `mechdesign --help`; the rest of a command's help is its record's docstring."""

GROUPS = {
    "table": "Design noise tables for counts, as offices publish them.",
    "ledger": "Keep a privacy budget: what each data set has spent.",
    "local": "Collect reports that users make private themselves (LDP).",
    "local task": "Define a collection: its oracle, epsilon and items.",
}
"""The first words of the names of several, each with one line on what its commands are about."""

MOVED = {"compare-oracles": "local compare"}
"""Commands that had another name; the others are found by their last word."""


def file_name(command: str) -> str:
    """Return the name of a command's module, without its folder."""
    return re.sub("[ -]", "_", command.removeprefix("local "))


def record_name(command: str) -> str:
    """Return the name of a command's record: its words, each with a capital letter."""
    return "".join(word.capitalize() for word in file_name(command).split("_"))


def module_name(command: str) -> str:
    """Return the full name of a command's module."""
    return f"{__name__}.{room_of(command)}.{file_name(command)}"


def room_of(name: str) -> str:
    """Return the room of a command, or of a group of them.

    Raises:
        KeyError: for what is neither.
    """
    for room, commands in ROOMS.items():
        if any(f"{command} ".startswith(f"{name} ") for command in commands):
            return room
    raise KeyError(name)


def command_of(words: Sequence[str]) -> str:
    """Return the command, or the group, that a line begins with, which need not be one; "" for a line without words."""
    name = ""
    for word in words:
        name = f"{name} {word}".lstrip()
        if name not in GROUPS:
            break
    return name
