"""Define frequency oracles for local differential privacy: what each user reports, and what the server makes of it."""

from mechdesign_catalog.oracles.intervals import normal_intervals
from mechdesign_catalog.oracles.moments import Moments
from mechdesign_catalog.oracles.oracle import FrequencyOracle, LocalOracle, true_loss
from mechdesign_catalog.oracles.registry import (
    ORACLES,
    find_oracle,
    is_mechanism_file,
    make_oracle,
    oracle_of,
    parse_oracle,
)
from mechdesign_catalog.oracles.reports import Reports, State, merged

__all__ = [
    "ORACLES",
    "FrequencyOracle",
    "LocalOracle",
    "Moments",
    "Reports",
    "State",
    "find_oracle",
    "is_mechanism_file",
    "make_oracle",
    "merged",
    "normal_intervals",
    "oracle_of",
    "parse_oracle",
    "true_loss",
]
