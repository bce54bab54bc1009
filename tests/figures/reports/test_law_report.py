"""The report on a law: its numbers are the law's, and its page is whole and needs nothing from elsewhere."""

import re
from fractions import Fraction

import pytest
from wording import refused

from mechdesign import InputError, RefusedError, design_law, export
from mechdesign.releases.errors import TypicalErrors
from mechdesign_figures import picture_bytes, plot_law, report_law
from mechdesign_figures.plots.law_picture import curve_sizes, law_corner
from mechdesign_figures.reports.law_report import law_page

LAWS = {
    "exact": {"alpha": "4/5", "properties": "WH,CM"},
    "one row": {"epsilon": 1},
    "gap": {"alpha": "4/5", "properties": "CM", "loss": "L1"},
    "slopes": {"alpha": "4/5", "properties": "WH", "loss": "L1"},
    "fair": {"alpha": "4/5", "properties": "F"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_the_page_says_what_the_law_is(name):
    law = design_law(**LAWS[name])
    found = report_law(law, name="a <law>")
    page = law_page(found)
    assert page.startswith("<!doctype html>")
    assert page.endswith("</html>\n")
    assert all(page.count(f"<{tag}") == page.count(f"</{tag}>") for tag in ("section", "table", "figure", "main"))
    assert not any(words in page for words in ("<script", " src=", 'http-equiv="refresh'))
    assert "a &lt;law&gt;" in page
    assert f"every n from {law.least} on" in page
    for n, score, gap, status in found.scores:
        assert f"<td>{n:,}</td><td>{score}</td><td>{gap}</td><td>{status}</td>" in page
        assert Fraction(gap) >= law.gap(n)
        assert status == law.status(n)
    assert ("at any of these sizes" in page) == law.is_exact
    assert ("change a little with n" in page) == (name == "slopes")


def test_errors_are_those_of_the_matrix():
    law = design_law(alpha="1/2", properties="CM", loss="L1")
    for n, errors in report_law(law).errors:
        if n <= 100:
            assert errors == TypicalErrors.of(law.at(n))


@pytest.mark.slow
def test_the_picture_shows_the_first_rows_of_any_matrix():
    law = design_law(**LAWS["gap"])
    corner = law_corner(law)
    size = len(corner)
    assert abs(corner - law.at(60).matrix()[:size, :size]).max() < 1e-15
    assert curve_sizes(law)[0] == law.least
    axes = plot_law(law).axes
    assert axes[1].get_yscale() == "log"
    points = axes[1].lines[0].get_xydata()
    assert [float(law.gap(int(n))) for n, _ in points] == [gap for _, gap in points]
    assert plot_law(design_law(**LAWS["exact"])).axes[1].get_ylabel() == "score"
    assert picture_bytes(plot_law(design_law(**LAWS["one row"])), ".png")[:4] == bytes([137, 80, 78, 71])


def test_a_report_proves_the_document_again(tmp_path):
    path = tmp_path / "law.json"
    export(design_law(**LAWS["exact"]), path)
    assert report_law(path).entries()["scores"][0] == {
        "n": 11,
        "score": "11467/12672 = 0.904909 (rounded up)",
        "value": 11467 / 12672,
        "gap": "0",
        "status": "exact",
    }
    path.write_text(re.sub('"status": "exact"', '"status": "certified"', path.read_text()))
    with refused(RefusedError):
        report_law(path)
    with refused(InputError, about="file"):
        report_law(tmp_path / "none.json")
