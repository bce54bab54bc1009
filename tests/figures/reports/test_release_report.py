"""The page on a release: what it promises, what it shows, and that it needs nothing from elsewhere."""

import json
import re
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import pytest
from microdata import write_people
from wording import refused

from mechdesign.errors import RefusedError
from mechdesign.releases.files import release_file
from mechdesign_figures.reports.release_page import IN_A_ROW, release_page
from mechdesign_figures.reports.release_report import report_release

VOID = {"meta", "br", "path", "circle", "rect"}


class Tags(HTMLParser):
    """Collect tags, and see that each that is opened is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture
def released(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people("people.csv", areas=300, largest=6)
    text = Path("people.csv").read_text().replace("area 0007", "<b>&7")
    Path("people.csv").write_text(text)
    asked = {"bit": "poor", "group": "area", "unit": "household", "epsilon": "1", "intervals": "0.9"}
    release_file("people.csv", "r.csv", record="r.json", **asked)


@pytest.mark.usefixtures("released")
def test_the_page_is_whole_and_alone():
    page = release_page(report_release("r.json", "r.csv"))
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert not {"script", "link", "img", "iframe", "object"} & set(tags.seen)
    assert not any(name.startswith("on") or name in ("src", "href") for name, _ in tags.attributes)
    assert {"h1", "h2", "caption", "figcaption", "svg", "details"} <= set(tags.seen)
    assert [value for name, value in tags.attributes if name == "lang"] == ["en"]
    assert all(tags.seen.count(tag) >= 300 for tag in ("circle", "title"))
    assert "<b>&7" not in page
    assert page.count("&lt;b&gt;&amp;7") == 2  # in the picture and in the table
    height = int(re.search(r'<svg role="img"[^>]* height="(\d+)"', page)[1])
    assert height == 170 * -(-300 // IN_A_ROW)
    for words in ("What is promised", "Errors to expect", "How to check", "a factor of 2.72", "at most 73.2 % sure"):
        assert words in page


@pytest.mark.usefixtures("released")
def test_what_is_said_is_what_is_in_the_record():
    found = report_release("r.json", "r.csv")
    data = json.loads(Path("r.json").read_text())
    assert found.statement == data["statement"].splitlines()
    alpha = Fraction(data["privacy"]["alpha"])
    assert 1 / alpha <= Fraction("2.72")
    assert 100 / (1 + alpha) <= Fraction("73.2")
    assert [row["n"] for row in found.entries()["errors"]] == [1, 3, 6]
    assert found.title == "Released counts of poor by area"
    lines = [line.split(",") for line in Path("r.csv").read_text().splitlines()[1:]]
    assert [list(map(str, row)) for row in found.groups.rows] == [line[-6:] for line in lines]


@pytest.mark.usefixtures("released")
def test_without_the_counts_sizes_are_drawn():
    page = release_page(report_release("r.json"))
    assert page.count("groups of ") >= 6
    assert "Number of groups of each size, 1 to 6 units" in page
    assert "<circle" not in page
    assert "An interval (low to high) stands beside each count." in page
    release_file("people.csv", "p.csv", record="p.json", bit="poor", group="area", alpha="1/2")
    found = report_release("p.json", "p.csv")
    assert "is found by mechdesign estimate p.csv --record p.json --by-group." in found.error_words[1]
    assert found.confidence == Fraction(19, 20)


@pytest.mark.usefixtures("released")
def test_a_false_record_or_output_has_no_report():
    Path("o.csv").write_text(Path("r.csv").read_text().replace(",1,", ",0,"))
    with refused(RefusedError):
        report_release("r.json", "o.csv")
    Path("f.json").write_text(Path("r.json").read_text().replace('"groups": 300', '"groups": 301'))
    with refused(RefusedError):
        report_release("f.json")


def test_a_simulation_promises_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people("people.csv", areas=4, largest=3)
    release_file("people.csv", "r.csv", record="r.json", bit="poor", group="area", alpha="1/2", seed=1)
    assert report_release("r.json").promise[0].endswith("It protects nobody.")


def test_a_release_by_a_law_is_reported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.csv").write_text("town,sick,people\nA,1,2\nB,7,300\nC,2,900000\n")
    release_file("c.csv", "r.csv", record="r.json", column="sick", size="people", epsilon=1)
    found = report_release("r.json")
    sizes = [one["sizes"] for one in found.entries()["errors"]]
    assert sizes == ["2", "300 to 900000"]
    for page in (release_page(found), release_page(report_release("r.json", "r.csv"))):
        tags = Tags()
        tags.feed(page)
        assert tags.open == []
        assert "300 to 900000" in page
    assert "1 groups of 899800 to 900000" in release_page(found)
