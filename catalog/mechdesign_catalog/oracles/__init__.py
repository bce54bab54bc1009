"""Define frequency oracles for local differential privacy: what each user reports, and what the server makes of it."""

from mechdesign_catalog.oracles.oracle import (
    FrequencyOracle,
    LocalOracle,
    confidence_intervals,
    standard_errors,
    true_loss,
)
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
    "Reports",
    "State",
    "confidence_intervals",
    "find_oracle",
    "is_mechanism_file",
    "make_oracle",
    "merged",
    "oracle_of",
    "parse_oracle",
    "standard_errors",
    "true_loss",
]
