"""Studios for tests: one that serves mechdesign's commands, and ones whose jobs do what a test needs."""

import sys
from collections.abc import Callable, Iterator

import pytest
import studio_tasks
from studios import Studio

TASKS = (sys.executable, studio_tasks.__file__)


@pytest.fixture(scope="session")
def studio(tmp_path_factory) -> Iterator[Studio]:
    """Serve the commands."""
    started = Studio(tmp_path_factory.mktemp("studio")).open()
    yield started
    started.close()


@pytest.fixture(scope="session")
def tasks(tmp_path_factory) -> Iterator[Studio]:
    """Serve tasks of tests; tests that end it start their own by `new_tasks`."""
    started = Studio(tmp_path_factory.mktemp("tasks"), command=TASKS).open()
    yield started
    started.close()


@pytest.fixture
def new_tasks(tmp_path) -> Iterator[Callable[[], Studio]]:
    """Start a studio that a test may end as it likes."""
    started = []

    def start() -> Studio:
        folder = tmp_path / str(len(started))
        folder.mkdir()
        started.append(Studio(folder, command=TASKS))
        return started[-1]

    yield start
    for one in started:
        one.close()
