"""All studies, in the order of their numbers."""

from mechdesign.names import require_known
from mechdesign_figures.studies import (
    adult_error,
    binomial_l0,
    binomial_l1_l2,
    commuting_error,
    commuting_post,
    commuting_ranks,
    flow,
    named_heatmaps,
    property_table,
    scores,
    several_attributes,
    structure,
    telemetry,
    telemetry_mean,
    unconstrained,
)
from mechdesign_figures.studies.study import Study

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
)
STUDIES: dict[str, Study] = {study.number: study for module in MODULES for study in module.STUDIES}


def find_study(number: str) -> Study:
    """The study of that number.

    Raises:
        InputError: listing the numbers, nearest first.
    """
    return STUDIES[require_known(number, STUDIES, "study")]
