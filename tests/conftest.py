"""Tests that are not marked slow are marked fast: `pytest -m fast -n auto` runs them in less than a minute.

Several processes of tests share the processors, so linear algebra gets one thread in each: two cost many times as much.
No test depends on a clock, or on how busy the machine is: examples of properties may take as long as they take.
"""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") is None:
            item.add_marker("fast")
