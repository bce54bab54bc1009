"""Pictures of designs, sweeps, comparisons and estimates, and published figures again.

Each function takes the result and, if wanted, the axes to draw on, and returns the axes; a figure where there are
several panels.

>>> import mechdesign as md
>>> import mechdesign_figures as mf
>>> best = md.design(md.DesignProblem(n=4, alpha="0.9", properties="WH"))
>>> mf.plot_mechanism(best, title="WH").get_title()
'WH'

The names are stated in `__init__.pyi`, and each is loaded when it is first used: matplotlib only for a picture. What is
not among them may change.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
