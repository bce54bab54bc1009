"""The panel Data on a machine where nothing was ever fetched: what is missing is named, and nothing is asked for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from panels import open_panel
from running_studio import RunningStudio, running_studio

pytestmark = pytest.mark.slow


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningStudio]:
    """A studio in place of the session's, with an empty folder of data and an empty cache."""
    monkeypatch.setenv("MECHDESIGN_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with running_studio(tmp_path) as running:
        yield running


def test_sets_that_are_elsewhere_are_named_with_their_command(page: Any, tmp_path: Path) -> None:
    panel = open_panel(page, "data")
    panel.get_by_role("heading", name="True counts").wait_for(state="visible")
    assert panel.locator(".hint code").all_inner_texts() == ["mechdesign data adult", "mechdesign data adult-test"]
    option = panel.locator("option[value=adult]")
    assert option.evaluate("option => [option.disabled, option.parentElement.label]") == [True, "Not on this machine"]
    (tmp_path / "adult.data").write_text("there, but another file")
    open_panel(page, "check")
    open_panel(page, "data")
    page.locator("#panel-data option[value=adult]:enabled").wait_for(state="attached")
    panel.get_by_label("Data set", exact=True).select_option("adult")
    alert = panel.get_by_role("alert").filter(visible=True)
    alert.wait_for(state="visible")
    assert "must have the SHA-256" in alert.inner_text()
    assert not (tmp_path / "cache").exists()
