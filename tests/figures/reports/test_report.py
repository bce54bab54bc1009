"""Reports as data and as pages: what they say is what the design, the landscape and the comparison say."""

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from wording import refused

from mechdesign import DesignProblem, InputError, Model, RefusedError, WorkloadProblem, design, export, landscape
from mechdesign.problem.properties import LATTICE
from mechdesign.workloads.ordered import Prefixes
from mechdesign_catalog import compare_mechanisms, compare_with_landmarks
from mechdesign_figures import DesignReport, report_design, save_report
from mechdesign_figures.reports.page import report_page
from mechdesign_figures.reports.report import THIS

SMALL = DesignProblem(n=4, alpha="0.9", properties="WH,CM")
VOID = {"meta", "rect", "path", "use", "image", "br", "img", "link", "script"}


@pytest.fixture(scope="module")
def wm():
    return design(SMALL)


class Page(HTMLParser):
    """What a page is made of; `text` is what is shown, without the style."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self.open = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


@pytest.mark.slow
def test_data_say_what_the_design_says(wm):
    entries = json.loads(json.dumps(report_design(wm, name="wm").entries()))
    assert entries["score"]["exact"] == "391/405"
    assert (entries["gap"]["exact"], entries["status"]) == ("0", "exact")
    assert [one["name"] for one in entries["landmarks"]] == [place.name for place in compare_with_landmarks(wm)]
    assert {one["name"]: one["lacks"] for one in entries["landmarks"]} == {"GM": ["WH", "CM"], "EM": [], "UM": []}
    assert "truncated geometric mechanism; it lacks WH, CM, asked for here" in Page(report_page(report_design(wm))).text
    found = {one["name"]: one for one in entries["properties"]}
    assert tuple(found) == LATTICE
    assert {name for name, one in found.items() if one["asked"]} == {"WH", "CM"}
    assert {name for name, one in found.items() if one["implied"]} == {"WH", "CH"}
    assert {name for name, one in found.items() if one["holds"]} == set(wm.holds)
    assert entries["prices"] is None
    assert entries["errors"] is None


@pytest.mark.slow
def test_prices_are_the_landscape_and_know_the_own_class(wm):
    report = report_design(wm, prices=True)
    assert [group.score for group in report.prices.classes] == [
        group.score for group in landscape(DesignProblem(n=4, alpha="0.9")).classes
    ]
    assert report.prices.classes[report.own_class].score == wm.score
    page = Page(report_page(report))
    assert page.attributes.count(("tr", "class", "own")) == 2  # among the landmarks and among the classes
    assert "What each property costs" in page.text


def test_properties_with_a_parameter_are_in_no_class():
    report = report_design(design(DesignProblem(n=3, alpha="1/2", properties="OS:1/2")), prices=True)
    assert report.own_class is None
    assert any(one["name"] == "OS:1/2" and one["asked"] for one in report.entries()["properties"])


@pytest.mark.slow
def test_errors_on_data_are_those_of_a_comparison():
    found = design(DesignProblem(n=12, alpha="0.9", properties="WH"))
    report = report_design(found, data="saxony", metrics="error-rate", repetitions=2, seed=1)
    wanted = compare_mechanisms(
        "saxony",
        {THIS: found, "GM": "GM", "EM": "EM", "UM": "UM"},
        alpha="0.9",
        metrics="error-rate",
        repetitions=2,
        seed=1,
    )
    assert report.entries()["errors"]["rows"] == wanted.tabulate().entries()
    assert "6,115 groups of n = 12" in Page(report_page(report)).text


def test_data_go_with_counts_alone():
    with refused(InputError):
        report_design(design(DesignProblem(model=Model.ldp(3), alpha="1/2")), data="saxony")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["wm.json", "<script>alert(1)</script>.json", 'a"b&c.json'], ids=["plain", "tag", "quotes"]
)
def test_a_page_is_well_formed_and_loads_nothing(wm, name):
    text = report_page(DesignReport(wm, name))
    page = Page(text)
    assert page.open == []
    assert {"script", "link", "img", "iframe", "object", "form"} & set(page.tags) == set()
    assert not any(attribute.startswith("on") for _, attribute, _ in page.attributes)
    for tag, attribute, value in page.attributes:
        if attribute in ("src", "href", "xlink:href", "action", "data"):
            assert value.startswith(("#", "data:image/png;base64,")), (tag, attribute, value[:40])
    policy = next(value for tag, name_, value in page.attributes if tag == "meta" and value.startswith("default-src"))
    assert "default-src 'none'" in policy
    assert name in page.text
    assert ("html", "lang", "en") in page.attributes
    ids = [value for _, attribute, value in page.attributes if attribute == "id"]
    assert len(ids) == len(set(ids))


@pytest.mark.slow
def test_a_page_has_every_number_of_a_small_matrix_exactly(wm):
    page = Page(report_page(DesignReport(wm)))
    titles = {value for _, attribute, value in page.attributes if attribute == "title"}
    exact = {str(wm.mechanism.fraction(i, j)) for i in range(5) for j in range(5)}
    assert exact <= titles
    for sentence in (*DesignReport(wm).problem_words, *DesignReport(wm).certificate_words):
        assert sentence in page.text


@pytest.mark.slow
def test_the_same_design_gives_the_same_page(wm):
    assert report_page(DesignReport(wm)) == report_page(DesignReport(wm))


@pytest.mark.slow
def test_a_large_matrix_is_a_picture_and_no_table():
    page = Page(report_page(DesignReport(design(DesignProblem(n=40, alpha="0.9")))))
    assert "details" not in page.tags
    assert "The 41 x 41 numbers stand in the document" in page.text


@pytest.mark.slow
def test_a_report_is_saved_whole_and_only_as_html(wm, tmp_path):
    save_report(DesignReport(wm), tmp_path / "wm.html")
    assert (tmp_path / "wm.html").read_text() == report_page(DesignReport(wm))
    with refused(InputError, about="report"):
        save_report(DesignReport(wm), tmp_path / "wm.pdf")


def test_a_document_is_proved_again_before_it_is_reported(wm, tmp_path):
    export(wm, tmp_path / "wm.json")
    assert report_design(tmp_path / "wm.json").name == "wm.json"
    text = (tmp_path / "wm.json").read_text()
    Path(tmp_path / "false.json").write_text(text.replace('"391/405"', '"390/405"'))
    with refused(RefusedError):
        report_design(tmp_path / "false.json")


def test_the_repr_is_one_line(wm):
    assert (
        repr(replace(DesignReport(wm), name="wm"))
        == "<DesignReport: wm, n = 4, alpha = 0.9, WH, CM, loss L0, prior uniform>"
    )


def test_a_workload_design_is_drawn_and_not_reported():
    found = design(WorkloadProblem(Prefixes(3), alpha="1/3"))
    with refused(InputError):
        report_design(found)
