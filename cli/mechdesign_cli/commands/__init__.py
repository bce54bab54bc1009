"""List the commands, each with one line on what it does.

Each is a function in a module of its name here.
"""

SUMMARIES = {
    "solve": "Design one optimal mechanism, with an exact proof.",
    "check": "Audit any matrix exactly, test claims, and repair it.",
    "derive": "Derive a mechanism from GM, or show why it cannot be.",
    "release": "Publish real counts through a mechanism.",
    "compare": "Compare mechanisms for counts side by side on data.",
    "estimate": "Estimate the true counts behind released ones.",
    "catalog": "List the mechanisms with a formula, or show one.",
    "data": "List the data sets, or show one of them.",
    "oracles": "List the local (LDP) frequency oracles for a domain.",
    "privatize": "Replace each user's value by a private report (LDP).",
    "aggregate": "Estimate each item's share of users from reports (LDP).",
    "compare-oracles": "Compare local oracles (LDP) side by side on items.",
    "landscape": "Find what each property costs: all subsets by score.",
    "sweep": "Design many mechanisms: one row for each, resumable.",
    "reproduce": "Run published figures, tables and claims again.",
}
"""In the order of `mechdesign --help`; the rest of a command's help is its function's docstring."""
