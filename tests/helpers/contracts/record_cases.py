"""Release records that break one rule of FORMAT.md each, with the verdict that both checkers owe them."""

from tampering import set_in
from two_checkers import FALSE, PROVED, UNREADABLE


def swapped(data):
    data["sizes"][0]["design"], data["sizes"][1]["design"] = data["sizes"][1]["design"], data["sizes"][0]["design"]


def without_law(group):
    """Make it a record of the second version, which has no list of columns."""

    def change(data):
        del data["law"], data["law_sizes"], data["values"]
        data.update(format="mechdesign-release/2", group=group)

    return change


RECORD_CASES = [
    (set_in("designs", 1, "status", value="certified"), FALSE),
    (set_in("designs", 1, "version", value="another"), FALSE),
    (set_in("designs", 2, "weights", 0, 0, value="1"), FALSE),
    (set_in("privacy", "alpha", value="4/5"), FALSE),
    (set_in("privacy", "epsilon", value=0.28), FALSE),
    (set_in("groups", value=11), FALSE),
    (set_in("units", value=1000), FALSE),
    (set_in("sizes", 0, "groups", value=9), FALSE),
    (set_in("designs_sha256", value="0" * 64), FALSE),
    (swapped, FALSE),
    (set_in("designs_sha256", value="0"), UNREADABLE),
    (set_in("sizes", 0, "design", value="A" * 64), UNREADABLE),
    (set_in("sizes", 0, "n", value=2), UNREADABLE),
    (set_in("sizes", value=[]), UNREADABLE),
    (set_in("privacy", "alpha", value="5/4"), UNREADABLE),
    (set_in("privacy", value="3/4"), UNREADABLE),
    (set_in("designs", 0, value=[]), UNREADABLE),
    (set_in("epsilon", value=1), UNREADABLE),
    (lambda data: data["designs"].pop(), UNREADABLE),
    (lambda data: data.pop("statement"), UNREADABLE),
    (set_in("x", value={"n": [1, None, {"x": -(10**4_100)}]}), PROVED),
    (set_in("date", value=5), UNREADABLE),
    (set_in("date", value="20261120"), UNREADABLE),
    (set_in("date", value="2026-02-30"), UNREADABLE),
    (set_in("version", value=1), UNREADABLE),
    (set_in("version", value=""), UNREADABLE),
    (set_in("statement", value=""), UNREADABLE),
    (set_in("statement", value=["Privacy"]), UNREADABLE),
    (set_in("column", value=None), UNREADABLE),
    (set_in("group", value=0), UNREADABLE),
    (set_in("simulation", value="x"), UNREADABLE),
    (set_in("simulation", value=0), UNREADABLE),
    (set_in("unit", value="person"), UNREADABLE),
    (set_in("unit", "kind", value="person"), UNREADABLE),
    (set_in("unit", "name", value=""), UNREADABLE),
    (set_in("unit", "name", value=None), UNREADABLE),
    (set_in("unit", "column", value=["id"]), UNREADABLE),
    (lambda data: data["unit"].pop("column"), UNREADABLE),
    (set_in("output", value=None), UNREADABLE),
    (set_in("output", "rows", value=12), UNREADABLE),
    (set_in("output", "columns", value=[]), UNREADABLE),
    (set_in("output", "columns", value="released"), UNREADABLE),
    (set_in("output", "columns", 0, value=1), UNREADABLE),
    (set_in("output", "size_column", value="none"), UNREADABLE),
    (set_in("output", "size_column", value="released"), UNREADABLE),
    (set_in("output", "size_column", value=1), UNREADABLE),
    (set_in("output", "sha256", value="0" * 63), UNREADABLE),
    (set_in("output", "sha256", value=None), UNREADABLE),
    (set_in("input", value={}), UNREADABLE),
    (set_in("input", value="0" * 64), UNREADABLE),
    (set_in("input", value={"hmac_sha256": "A" * 64}), UNREADABLE),
    (set_in("input", value={"hmac_sha256": "a" * 64, "sha256": "a" * 64}), UNREADABLE),
    (set_in("privacy", "delta", value=0), UNREADABLE),
    (set_in("privacy", "epsilon", value=True), UNREADABLE),
    (set_in("groups", value=0), FALSE),
    (set_in("groups", value=-12), FALSE),
    (set_in("groups", value=10**300), FALSE),
    (set_in("groups", value=10**300 + 1), UNREADABLE),
    (set_in("units", value=-(10**300)), FALSE),
    (set_in("units", value=10**4_100), UNREADABLE),
    (set_in("units", value=True), UNREADABLE),
    (set_in("units", value="30"), UNREADABLE),
    (set_in("sizes", 0, "groups", value=0), UNREADABLE),
    (set_in("sizes", 0, "groups", value=10**300 + 1), UNREADABLE),
    (set_in("sizes", 0, "n", value=0), UNREADABLE),
    (set_in("sizes", 0, "x", value=1), UNREADABLE),
]
"""Of a release of microdata with groups of at least three sizes."""

REGION_CASES = [
    (set_in("group", value=["area", "region"]), PROVED),  # the output alone tells
    (set_in("group", value="area"), PROVED),
    (set_in("group", value=None), PROVED),
    (set_in("group", value=[]), UNREADABLE),
    (set_in("group", value=["area"]), UNREADABLE),
    (set_in("group", value=["area", "area"]), UNREADABLE),
    (set_in("group", value=["state", "region", "area"]), UNREADABLE),
    (set_in("group", value=["region", None]), UNREADABLE),
    (set_in("group", value=["region", 1]), UNREADABLE),
    (set_in("group", value={"region": "area"}), UNREADABLE),
    (set_in("law", value={}), UNREADABLE),
    (set_in("law_sizes", value={}), UNREADABLE),
    (set_in("format", value="mechdesign-release/2"), UNREADABLE),
    (lambda data: data.pop("law"), UNREADABLE),
    (lambda data: data.pop("law_sizes"), UNREADABLE),
    (without_law(group=["region", "area"]), UNREADABLE),
    (without_law(group="area"), PROVED),
]
"""Of a release of groups in regions, without a law; the checker beside the kernel looks at names in outputs alone."""

LAW_CASES = [
    (set_in("law_sizes", "groups", 0, 0, value=301), PROVED),  # sums alone tell
    (set_in("law_sizes", "groups", 0, 1, value=3), FALSE),
    (set_in("law_sizes", "groups", 0, 0, value=1), FALSE),
    (set_in("law_sizes", "groups", 0, 0, value=2), UNREADABLE),
    (set_in("law_sizes", "groups", 0, 0, value=5000), UNREADABLE),
    (set_in("law_sizes", "groups", 0, 0, value=0), UNREADABLE),
    (set_in("law_sizes", "groups", 1, 0, value=10**9 + 1), UNREADABLE),
    (set_in("law_sizes", "groups", 0, value=[300]), UNREADABLE),
    (set_in("law_sizes", "groups", 0, value=[300, True]), UNREADABLE),
    (set_in("law_sizes", "groups", value=[]), UNREADABLE),
    (set_in("law_sizes", "design", value="0" * 64), FALSE),
    (set_in("law_sizes", "design", value="0"), UNREADABLE),
    (set_in("law_sizes", "x", value=1), UNREADABLE),
    (set_in("designs_sha256", value="0" * 64), FALSE),
    (set_in("law", "problem", "n", value=300), UNREADABLE),
    (set_in("law", "problem", "n", value={"from": 1}), FALSE),
    (set_in("law", "problem", "loss", value="L2"), FALSE),
    (set_in("law", "mechanism", "rows", 0, 0, value="1"), FALSE),
    (set_in("law", "status", value="exact"), FALSE),
    (set_in("law", "version", value="another"), FALSE),
    (set_in("law", value={}), UNREADABLE),
    (set_in("law", value=None), UNREADABLE),
    (set_in("privacy", "alpha", value="9/10"), FALSE),
    (set_in("format", value="mechdesign-release/2"), UNREADABLE),
    (lambda data: data.pop("law"), UNREADABLE),
    (lambda data: data.pop("law_sizes"), UNREADABLE),
]
"""Of a release of groups of 2, by a design, and of 300 and 5000, by a law; the first is proved without its output."""
