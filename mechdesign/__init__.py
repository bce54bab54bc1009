"""Differentially private mechanisms, designed by linear programming and proved exactly.

>>> import mechdesign as md
>>> best = md.design(md.DesignProblem(n=8, alpha="0.9", properties="WH,CM"))
>>> best.score, best.status
(Fraction(114025, 118098), 'exact')

The names are stated in `__init__.pyi`, and each is loaded when it is first used. What is not among them may change.
"""

import lazy_loader

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

MECHANISMS = {
    **{name.lower(): name for name in ("GM", "EM", "UM", "RR", "EXP", "GRR")},
    **{"geometric": "GM", "explicit_fair": "EM", "uniform": "UM", "randomized_response": "RR", "exponential": "EXP"},
}
"""What people look for here, and which mechanism of the catalog it is."""


def __getattr__(name: str) -> object:
    if (known := MECHANISMS.get(name.lower())) is not None:
        size = {"RR": "n=1", "GRR": "k=8"}.get(known, "n=8")
        raise AttributeError(
            f"mechdesign has no {name}; the catalog has: mechdesign_catalog.closed_form('{known}', {size}, alpha='0.9')"
        )
    found: object = _load(name)
    return found
