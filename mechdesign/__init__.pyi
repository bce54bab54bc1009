from .audits.audit import Audit, Claim, audit
from .audits.derivation import Derivation, derive
from .audits.mending import Mended, mend
from .audits.reading import read_design
from .designs import Design, design
from .documents.storage import export, read_matrix, read_mechanism
from .errors import InputError, LimitReachedError, MechdesignError, NoAnswerError, NotCertifiedError, RefusedError
from .mechanism.mechanism import Mechanism
from .methods.plan import Plan, make_plan
from .problem.design_problem import DesignProblem
from .problem.loss import Loss
from .problem.model import Model
from .problem.prior import Prior
from .sweeps.landscape import Landscape, landscape
from .sweeps.sweep import sweep
from .sweeps.worker import SweepRow
from .version import __version__

__all__ = [
    "Audit",
    "Claim",
    "Derivation",
    "Design",
    "DesignProblem",
    "InputError",
    "Landscape",
    "LimitReachedError",
    "Loss",
    "Mechanism",
    "MechdesignError",
    "Mended",
    "Model",
    "NoAnswerError",
    "NotCertifiedError",
    "Plan",
    "Prior",
    "RefusedError",
    "SweepRow",
    "__version__",
    "audit",
    "derive",
    "design",
    "export",
    "landscape",
    "make_plan",
    "mend",
    "read_design",
    "read_matrix",
    "read_mechanism",
    "sweep",
]
