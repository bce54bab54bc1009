"""The Collect panel shows reports that were left out, and counts that honest users do not give."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panels import open_panel

from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.reports.batches import PrivateReports
from mechdesign_catalog.randomizers.reports.reports import Reports, joined

CITIES = ["Athy", "Birr", "Cobh"]


def written(path: Path, byte: int, users: int) -> None:
    """Write 900 honest reports and those of users who all send this byte."""
    honest = privatize(CITIES * 300, "oue", epsilon=1, domain=CITIES)
    others = Reports(honest.reports.parameters, {"bits": np.full((users, 1), byte, dtype=np.uint8)})
    PrivateReports.of(honest.header, joined([honest.reports, others])).save(path)


def estimated(page: Any, path: Path) -> Any:
    """The Collect panel after an estimate from this file without reports that no client makes."""
    panel = open_panel(page, "collect")
    panel.get_by_label("Reports: a Parquet file, or a .state file").set_input_files(path)
    panel.locator(".drop-state", has_text=path.name).wait_for()
    panel.get_by_role("switch", name="Leave out reports that no client makes").check()
    panel.get_by_role("button", name="Estimate", exact=True).click()
    panel.get_by_text("Estimated in").wait_for()
    return panel


@pytest.mark.slow
def test_counts_that_honest_users_do_not_give_are_in_a_table(page: Any, tmp_path: Path) -> None:
    written(tmp_path / "unlikely.parquet", 4, 1200)
    panel = estimated(page, tmp_path / "unlikely.parquet")
    panel.locator(".notice", has_text="3 counts would come from honest users with a probability below 1e-9").wait_for()
    rows = panel.get_by_role("region", name="Counts that honest users do not give").locator("tbody tr")
    assert rows.locator("th").all_inner_texts() == CITIES
    assert rows.last.locator("td").all_inner_texts()[1:] == ["2,100", "at most 1,050"]
    assert not panel.locator(".notice", has_text="left out").is_visible()
    assert panel.get_by_text("would come from honest users").count() == 1  # not once more as a remark
    assert panel.get_by_text("where honest users give").count() == 0


@pytest.mark.slow
def test_reports_that_were_left_out_are_said_and_honest_ones_are_not_doubted(page: Any, tmp_path: Path) -> None:
    written(tmp_path / "impossible.parquet", 8, 4)
    panel = estimated(page, tmp_path / "impossible.parquet")
    panel.locator(".notice", has_text="4 reports were left out, which no client can have made.").wait_for()
    assert not panel.get_by_role("region", name="Counts that honest users do not give").is_visible()
