from .audits.audit import Audit, Claim, audit
from .audits.derivation import Derivation, derive
from .designs import Design, design
from .documents.storage import export, read_matrix, read_mechanism
from .errors import InputError, LimitReachedError, MechdesignError, NotCertifiedError, RefusedError
from .mechanism.mechanism import Mechanism
from .problem.design_problem import DesignProblem
from .problem.loss import Loss
from .problem.model import Model
from .problem.prior import Prior
from .version import __version__

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
