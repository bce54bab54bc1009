"""Facts that the page is told at once: parameters of a design as links have them, and limits.

Nothing is imported for it, since the page's first picture waits for this: what options, engine and page state beside is
pinned by a test.
"""

from typing import Any

LARGEST_WEIGHT = 999_999_999
"""The largest weight of a prior that stands in a link."""

MATRIX = 512
"""Up to so many people or items the page shows a matrix; beyond, of people, a law."""

NUMBER = "[0-9]{1,10}"
DIGITS = "[0-9]{1,30}"
SHARE = rf"{DIGITS}([./]{DIGITS})?"
RATIONAL = rf"({DIGITS}\.?|({DIGITS})?\.{DIGITS})([eE]-?[0-9]{{1,3}})?(/{DIGITS})?"
PROPERTY = r"[A-Za-z]{1,2}(:[0-9./]{1,30})?"


def _whole(least: int, most: int, first: str) -> dict[str, Any]:
    must = f"a whole number from {least} to {most}"
    return {"plain": "", "first": first, "pattern": NUMBER, "least": least, "most": most, "must": must}


def _text(plain: str, pattern: str, must: str, **more: str) -> dict[str, Any]:
    return {"plain": plain, "pattern": pattern, "must": must, **more}


PARAMETERS = {
    "model": _text("count", "count|ldp|lldp", "count, ldp or lldp"),
    "n": _whole(1, 10**9, "8"),
    "k": _whole(2, MATRIX, "8"),
    "radius": _whole(1, MATRIX, "2"),
    "alpha": _text("", RATIONAL, "a number such as 0.9 or 9/10", first="0.75"),
    "epsilon": _text("", RATIONAL, "a number such as 0.5"),
    "props": _text(
        "none", rf"none|all|{PROPERTY}(,{PROPERTY}){{0,11}}", "names of properties, none or all", first="WH,CM"
    ),
    "loss": _text(
        "L0", rf"[Ll][0-9]{{1,2}}(:[0-9]{{1,4}})?|[Pp][Bb]:{SHARE}", "the name of a loss, such as L1, L0:1 or PB:0.9"
    ),
    "prior": _text(
        "uniform",
        rf"uniform|binomial:{SHARE}|weights:[0-9]{{1,9}}(,[0-9]{{1,9}}){{1,999}}",
        "uniform, binomial:P or weights:W,W,...",
    ),
    "aggregate": _text("expected", "expected|worst", "expected or worst"),
}
"""By option: what a link may say (`pattern`), in words (`must`), what is meant where it says nothing (`plain`), and
with what the page begins where a design needs one (`first`)."""

NO = 1
"""The exit code of a command whose answer is no, which is no fault: none has the properties, or a gap stays open."""

FACTS = {"PARAMETERS": PARAMETERS, "LIMITS": {"matrix": MATRIX, "weight": LARGEST_WEIGHT}, "NO": NO}
"""By the names under which the page imports them."""
