"""Design differentially private mechanisms by linear programming, and prove what was designed.

>>> from mechdesign import DesignProblem, design
>>> best = design(DesignProblem(n=8, alpha="0.9", properties="WH,CM"))
>>> best.score, best.status
(Fraction(114025, 118098), 'exact')
"""

from mechdesign.audits.audit import Audit, Claim, audit
from mechdesign.audits.derivation import Derivation, derive
from mechdesign.designs import Design, design
from mechdesign.documents.storage import export, read_matrix, read_mechanism
from mechdesign.errors import InputError, LimitReachedError, MechdesignError, NotCertifiedError, RefusedError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import Model
from mechdesign.problem.prior import Prior
from mechdesign.version import __version__

__all__ = [
    "Audit",
    "Claim",
    "Derivation",
    "Design",
    "DesignProblem",
    "InputError",
    "LimitReachedError",
    "Loss",
    "Mechanism",
    "MechdesignError",
    "Model",
    "NotCertifiedError",
    "Prior",
    "RefusedError",
    "__version__",
    "audit",
    "derive",
    "design",
    "export",
    "read_matrix",
    "read_mechanism",
]
