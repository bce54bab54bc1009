from .claims.claim import Claim
from .claims.ledger import CLAIMS, MeasuredClaim, claims_page, measure_claims
from .plots.attributes.association_matrix import plot_associations
from .plots.attributes.dependence_tree import plot_dependence_tree
from .plots.attributes.marginal import plot_marginal
from .plots.count_histogram import plot_counts
from .plots.design_picture import plot_design
from .plots.distribution import plot_distribution
from .plots.estimate import plot_estimate
from .plots.formula_curve import plot_formula, plot_formula_landscape
from .plots.frequencies import plot_frequencies
from .plots.heatmap import plot_mechanism, plot_remap
from .plots.lattice import plot_landscape
from .plots.law_picture import plot_law
from .plots.mechanisms.comparison import plot_mechanism_comparison
from .plots.noise_tables import plot_noise_tables
from .plots.oracle_comparison import plot_oracle_comparison
from .plots.parts.saving import picture_bytes, save_picture
from .plots.release_estimate import plot_release_estimate
from .plots.row_heatmap import plot_workload_design
from .plots.sweep import plot_sweep
from .plots.wishes import plot_wishes
from .reports.law_report import LawReport, report_law
from .reports.page import save_report
from .reports.report import DesignReport, report_design
from .reports.workload_report import WorkloadReport, report_workload
from .studies.registry import STUDIES
from .studies.run import Reproduction, reproduce
from .studies.study import Study

__all__ = [
    "CLAIMS",
    "STUDIES",
    "Claim",
    "DesignReport",
    "LawReport",
    "MeasuredClaim",
    "Reproduction",
    "Study",
    "WorkloadReport",
    "claims_page",
    "measure_claims",
    "picture_bytes",
    "plot_associations",
    "plot_counts",
    "plot_dependence_tree",
    "plot_design",
    "plot_distribution",
    "plot_estimate",
    "plot_formula",
    "plot_formula_landscape",
    "plot_frequencies",
    "plot_landscape",
    "plot_law",
    "plot_marginal",
    "plot_mechanism",
    "plot_mechanism_comparison",
    "plot_noise_tables",
    "plot_oracle_comparison",
    "plot_release_estimate",
    "plot_remap",
    "plot_sweep",
    "plot_wishes",
    "plot_workload_design",
    "report_design",
    "report_law",
    "report_workload",
    "reproduce",
    "save_picture",
    "save_report",
]
