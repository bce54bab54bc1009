"""Exact numbers on the page: fractions and decimals of whole numbers of any length, held against Python's."""

from fractions import Fraction
from typing import Any

import pytest

FILE, MODULE = "/page/js/main.js", "module_kit"
PAIRS = [
    ("0", "7"),
    ("3", "9"),
    ("118098", "118098"),
    ("36450000", "292800821"),
    (str(3**400), str(7**300)),
    (str(7), str(10**320)),
    (str(10**330 - 1), str(10**330)),
    (str(2**1074), str(3**1100)),
]


@pytest.mark.slow
def test_fractions_ratios_and_decimals(page: Any) -> None:
    both = "pairs.map(([a, b]) => [m.fraction(a, b), m.ratio(a, b)])"
    code = f"async pairs => {{ const {{ {MODULE}: m }} = await import('{FILE}'); return {both}; }}"
    for (top, bottom), (text, value) in zip(PAIRS, page.evaluate(code, [list(pair) for pair in PAIRS]), strict=True):
        exact = Fraction(int(top), int(bottom))
        assert text == str(exact)
        assert value == pytest.approx(float(exact), rel=1e-14, abs=1e-320)
    losses = [0.10536051565782631, 0.5, 1.0986122886681098, 9.9999996, 0.0999999999, 2.3025850929940457, 1e-7 / 3]
    shown = page.evaluate(called("roundedUp"), losses)
    for loss, text in zip(losses, shown, strict=True):
        assert loss <= float(text) <= loss * (1 + 1.1e-5)
    assert shown[:3] == ["0.105361", "0.5", "1.09862"]
    probabilities = [0, 1, 0.5, 0.1244871, 2 / 3, 1e-9 / 3]
    assert page.evaluate(called("decimal"), probabilities) == ["0", "1", "0.5", "0.124487", "0.666667", "3.33e-10"]


def called(name: str) -> str:
    """A function of the page that calls one of the module for each value."""
    return f"async values => values.map(await import('{FILE}').then(files => one => files.{MODULE}.{name}(one)))"
