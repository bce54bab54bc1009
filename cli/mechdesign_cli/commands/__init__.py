"""List the commands by room, each with one line on what it does.

Each is a function in a module of its name, in the room's folder.
"""

ROOMS = {
    "designs": {
        "solve": "Design one optimal mechanism, with an exact proof.",
        "check": "Audit any matrix exactly, test claims, and repair it.",
        "derive": "Derive a mechanism from GM, or show why it cannot be.",
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
        "privatize": "Replace each user's value by a private report (LDP).",
        "aggregate": "Estimate each item's share of users from reports (LDP).",
        "compare-oracles": "Compare local oracles (LDP) side by side on items.",
    },
    "others": {
        "studio": "Open the studio, a page in your browser.",
        "reproduce": "Run published figures, tables and claims again.",
        "completion": "Print the script that makes a shell complete commands.",
    },
}
"""The folders here, and their commands."""

SUMMARIES = {name: summary for commands in ROOMS.values() for name, summary in commands.items()}
"""In the order of `mechdesign --help`; the rest of a command's help is its function's docstring."""


def module_name(command: str) -> str:
    """Return the full name of a command's module."""
    room = next(room for room, commands in ROOMS.items() if command in commands)
    return f"{__name__}.{room}.{command.replace('-', '_')}"
