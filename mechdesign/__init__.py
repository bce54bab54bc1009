"""Design differentially private mechanisms by linear programming, and prove what was designed.

>>> import mechdesign as md
>>> best = md.design(md.DesignProblem(n=8, alpha="0.9", properties="WH,CM"))
>>> best.score, best.status
(Fraction(114025, 118098), 'exact')

The names are stated in `__init__.pyi`, and each is loaded when it is first used. What is not among them may change.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
