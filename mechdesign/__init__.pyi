from .audits.audit import Audit, audit
from .audits.curves import CurveAudit, CurvePoint, audit_curve
from .audits.derivation import Derivation, LawDerivation, derive, derive_law
from .audits.mending import RepairedDesign, ScoreComparison, compare_with_optimum, mend
from .audits.reading import read_design
from .audits.within import NearbyProperties
from .calibration import Calibration, calibrate
from .certificate.row_designs.measuring import ByInput
from .counts.estimation.estimate import Estimate
from .counts.estimation.posterior import Posterior, posterior
from .counts.release import privacy_statement
from .counts.simulation import SimulatedRelease, simulate_release
from .counts.tables import estimate, release
from .designs import Design, design
from .documents.storage import export, read_matrix, read_mechanism
from .documents.stored import StoredDocument
from .documents.workloads import parse_workload
from .errors import (
    ClusterError,
    InfeasibleError,
    InputError,
    LimitReachedError,
    MachineError,
    MechdesignError,
    NoAnswerError,
    NotCertifiedError,
    RefusedError,
)
from .formulas.any_size.finding import law_formula
from .formulas.any_size.formula import LawFormula
from .formulas.finding import formula, read_formula
from .formulas.formula import Formula
from .formulas.landscape import FormulaLandscape, formula_landscape
from .interop.dp_accounting_ import to_dp_accounting
from .interop.opendp_ import to_opendp
from .interop.qif_ import to_qif
from .laws.finding import design_law
from .laws.law import Law
from .ledgers.ledger import BudgetError, Ledger
from .level_designs import LevelDesign
from .mechanism.mechanism import Mechanism
from .mechanism.row_mechanism import RowMechanism
from .methods.plan import Plan, make_plan
from .noise_tables.design import NoiseTableDesign
from .noise_tables.designing import design_noise_table
from .noise_tables.guarantee import Guarantee
from .noise_tables.problem import NoiseTableProblem
from .noise_tables.table import NoiseTable
from .problem.design_problem import DesignProblem
from .problem.loss import Loss
from .problem.model import Model
from .problem.prior import Prior
from .problem.privacy import Privacy
from .problem.workload_problem import WorkloadProblem
from .releases.checking import check_release, read_record
from .releases.estimates.by_group import GroupEstimates, estimate_groups
from .releases.estimates.estimate import ReleaseEstimate, estimate_release
from .releases.files import release_file
from .releases.record import ReleaseRecord
from .sweeps.landscape import Landscape, landscape
from .sweeps.sweep import sweep
from .sweeps.wishes import tabulate_wishes
from .sweeps.worker import SweepRow
from .table_releases.applying import TableRelease, apply_noise_table
from .table_releases.checking import check_table_release
from .ties import Ties, find_ties
from .verify.proving import Claim
from .version import __version__
from .workload_designs import WideGapError, WorkloadDesign, design_workload
from .workloads.cells import Cells
from .workloads.queries import Intervals, LinearQueries, Rectangles
from .workloads.workload import Workload

__all__ = [
    "Audit",
    "BudgetError",
    "ByInput",
    "Calibration",
    "Cells",
    "Claim",
    "ClusterError",
    "CurveAudit",
    "CurvePoint",
    "Derivation",
    "Design",
    "DesignProblem",
    "Estimate",
    "Formula",
    "FormulaLandscape",
    "GroupEstimates",
    "Guarantee",
    "InfeasibleError",
    "InputError",
    "Intervals",
    "Landscape",
    "Law",
    "LawDerivation",
    "LawFormula",
    "Ledger",
    "LevelDesign",
    "LimitReachedError",
    "LinearQueries",
    "Loss",
    "MachineError",
    "Mechanism",
    "MechdesignError",
    "Model",
    "NearbyProperties",
    "NoAnswerError",
    "NoiseTable",
    "NoiseTableDesign",
    "NoiseTableProblem",
    "NotCertifiedError",
    "Plan",
    "Posterior",
    "Prior",
    "Privacy",
    "Rectangles",
    "RefusedError",
    "ReleaseEstimate",
    "ReleaseRecord",
    "RepairedDesign",
    "RowMechanism",
    "ScoreComparison",
    "SimulatedRelease",
    "StoredDocument",
    "SweepRow",
    "TableRelease",
    "Ties",
    "WideGapError",
    "Workload",
    "WorkloadDesign",
    "WorkloadProblem",
    "__version__",
    "apply_noise_table",
    "audit",
    "audit_curve",
    "calibrate",
    "check_release",
    "check_table_release",
    "compare_with_optimum",
    "derive",
    "derive_law",
    "design",
    "design_law",
    "design_noise_table",
    "design_workload",
    "estimate",
    "estimate_groups",
    "estimate_release",
    "export",
    "find_ties",
    "formula",
    "formula_landscape",
    "landscape",
    "law_formula",
    "make_plan",
    "mend",
    "parse_workload",
    "posterior",
    "privacy_statement",
    "read_design",
    "read_formula",
    "read_matrix",
    "read_mechanism",
    "read_record",
    "release",
    "release_file",
    "simulate_release",
    "sweep",
    "tabulate_wishes",
    "to_dp_accounting",
    "to_opendp",
    "to_qif",
]
