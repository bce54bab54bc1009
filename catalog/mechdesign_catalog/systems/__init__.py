"""Frequency oracles for local differential privacy: the user's report, the server's part."""

from mechdesign_catalog.randomizers.facts.intervals import normal_intervals
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, LocalOracle, actual_epsilon
from mechdesign_catalog.randomizers.reports.reports import Reports, State, merged
from mechdesign_catalog.systems.registry import (
    ORACLES,
    find_oracle,
    is_mechanism_file,
    make_oracle,
    oracle_of,
    parse_oracle,
)

__all__ = [
    "ORACLES",
    "FrequencyOracle",
    "LocalOracle",
    "Moments",
    "Reports",
    "State",
    "actual_epsilon",
    "find_oracle",
    "is_mechanism_file",
    "make_oracle",
    "merged",
    "normal_intervals",
    "oracle_of",
    "parse_oracle",
]
