"""Post-processing of frequency estimates, by name.

None is forced: the raw estimates are unbiased.
"""

from mechdesign_catalog.analyses.postprocessing.likelihood import em, square_mechanism
from mechdesign_catalog.analyses.postprocessing.registry import (
    POSTPROCESSING,
    PostProcessing,
    find_postprocessing,
    postprocess,
)
from mechdesign_catalog.decoders.decoder import norm
from mechdesign_catalog.decoders.simplex import base_cut, base_pos, norm_sub, raw

__all__ = [
    "POSTPROCESSING",
    "PostProcessing",
    "base_cut",
    "base_pos",
    "em",
    "find_postprocessing",
    "norm",
    "norm_sub",
    "postprocess",
    "raw",
    "square_mechanism",
]
