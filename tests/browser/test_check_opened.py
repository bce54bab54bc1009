"""A studio that is started with a matrix checks it at once in the panel Check."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from panels import open_panel
from running_studio import RunningStudio, running_studio

pytestmark = pytest.mark.slow


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[RunningStudio]:
    """A studio in place of the session's, started with a file."""
    (tmp_path / "theirs.csv").write_text("1,0.5\n0,0.5\n")
    with running_studio(tmp_path, "theirs.csv") as running:
        yield running


def test_the_file_that_the_studio_was_started_with(page: Any) -> None:
    panel = open_panel(page, "check")
    panel.get_by_text("Output 1 proves that the count is not 0: this matrix is not private at any").wait_for(
        state="visible"
    )
    assert (
        "theirs.csv: 2 outputs x 2 inputs"
        in panel.locator(".card:not(.findings-within) > .findings-facts").first.inner_text()
    )
