"""Tests that are not marked slow are marked fast: `pytest -m fast -n auto` runs them in less than a minute."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") is None:
            item.add_marker("fast")
