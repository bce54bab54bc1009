"""Known mechanisms, oracles and data sets by name, private reports, and comparisons.

>>> import mechdesign_catalog as mc
>>> mc.make_mechanism("GM", 8, alpha="0.9").n_inputs
9
>>> reports = mc.privatize(["yes", "no", "yes"], "grr", epsilon=1, domain=["yes", "no"])
>>> mc.aggregate(reports).items
('yes', 'no')

The names are stated in `__init__.pyi`, and each is loaded when it is first used. What is not among them may change.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
