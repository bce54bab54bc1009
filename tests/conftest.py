"""The first case of each test that is not marked slow is marked fast: a minute for `pytest -m fast -n 2` on two cores.

What takes most of a second, or waits as long, is marked slow where it stands; nothing else decides.

Several processes of tests share the processors, so linear algebra gets one thread in each: two cost many times as much.
No test depends on a clock, or on how busy the machine is: examples of properties may take as long as they take.
Bytecode is written, whatever the environment says: else each run rewrites the assertions of 500 files, which takes
longer than the rest of the collection, and each process that a test starts compiles the package.
"""

import gc
import os
import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from wording import pytest_addoption, pytest_configure

settings.register_profile("patient", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fast", parent=settings.get_profile("patient"), max_examples=10)
settings.load_profile("patient")

__all__ = ["pytest_addoption", "pytest_configure"]

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_sessionstart(session: pytest.Session) -> None:
    if session.config.getoption("markexpr") == "fast":
        settings.load_profile("fast")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        cases = getattr(getattr(item, "callspec", None), "indices", {})
        if item.get_closest_marker("slow") is None and not any(cases.values()):
            item.add_marker("fast")


def pytest_collection_finish() -> None:
    """Leave what stays to the end, modules and tests, out of every later search for garbage."""
    gc.collect()
    gc.freeze()


def pytest_make_parametrize_id(val: Any) -> str | None:
    """Name a case by its words: `test_bad_input[solve --n 4]`, whatever cases stand before it."""
    words = _words(val) if isinstance(val, tuple | list | dict) else None
    return words.encode("unicode_escape").decode("ascii")[:60] if words else None


def _words(value: Any) -> str | None:
    if isinstance(value, str | int | float | Fraction | None):
        return str(value)
    if isinstance(value, dict):
        value = [f"{name}=" + text for name, one in value.items() if (text := _words(one)) is not None]
    if not isinstance(value, tuple | list):
        return None
    words = [_words(one) for one in value]
    return None if None in words else " ".join(words)
