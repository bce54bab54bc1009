"""All studies in the order of their numbers, by name."""

from mechdesign.names import require_known
from mechdesign_figures.studies import noise_tables, several_attributes
from mechdesign_figures.studies.commuting import errors as commuting_error
from mechdesign_figures.studies.commuting import post_processing as commuting_post
from mechdesign_figures.studies.commuting import ranks as commuting_ranks
from mechdesign_figures.studies.counts import (
    adult_error,
    binomial_l0,
    binomial_l1_l2,
    flow,
    named_heatmaps,
    property_table,
    scores,
    structure,
    unconstrained,
)
from mechdesign_figures.studies.marginals import (
    association,
    best_method,
    bounds,
    coefficients,
    errors,
    first_steps,
    hashing,
    maximisation,
    trees,
)
from mechdesign_figures.studies.marginals import drawings as marginal_drawings
from mechdesign_figures.studies.optimal import shelf
from mechdesign_figures.studies.ranges import any_k, best_fanout, branching, central, drawings, heavy, quantiles
from mechdesign_figures.studies.ranges import tables as range_tables
from mechdesign_figures.studies.study import Study
from mechdesign_figures.studies.telemetry import histogram as telemetry
from mechdesign_figures.studies.telemetry import mean as telemetry_mean

MODULES = (
    unconstrained,
    structure,
    flow,
    property_table,
    named_heatmaps,
    scores,
    adult_error,
    binomial_l0,
    binomial_l1_l2,
    commuting_error,
    commuting_ranks,
    commuting_post,
    several_attributes,
    telemetry,
    telemetry_mean,
    drawings,
    branching,
    heavy,
    quantiles,
    range_tables,
    central,
    best_fanout,
    any_k,
    marginal_drawings,
    errors,
    maximisation,
    hashing,
    association,
    trees,
    coefficients,
    bounds,
    first_steps,
    best_method,
    shelf,
    noise_tables,
)
STUDIES: dict[str, Study] = {study.number: study for module in MODULES for study in module.STUDIES}


def find_study(number: str) -> Study:
    """Find the study of a number.

    Raises:
        InputError: listing the numbers, nearest first.
    """
    return STUDIES[require_known(number, STUDIES, "study")]
