"""Tests that are not marked slow are marked fast: `pytest -m fast -n auto` runs them in less than a minute.

Several processes of tests share the processors, so linear algebra gets one thread in each: two cost many times as much.
"""

import os

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") is None:
            item.add_marker("fast")
