"""Frequency oracles for local differential privacy: what each user reports, and what the server makes of it."""

from mechdesign_catalog.oracles.oracle import (
    FrequencyOracle,
    confidence_intervals,
    simulate_sums,
    standard_errors,
    true_loss,
)
from mechdesign_catalog.oracles.registry import (
    ORACLES,
    claimed_epsilon,
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
    "Reports",
    "State",
    "claimed_epsilon",
    "confidence_intervals",
    "find_oracle",
    "is_mechanism_file",
    "make_oracle",
    "merged",
    "oracle_of",
    "parse_oracle",
    "simulate_sums",
    "standard_errors",
    "true_loss",
]
