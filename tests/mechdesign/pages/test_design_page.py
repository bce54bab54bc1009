"""The page of a design: it says what its document proves, and nothing but its own script can run or load."""

import hashlib
import re
from base64 import b64encode
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from wording import refused

from mechdesign import DesignProblem, Loss, Model, RefusedError, WorkloadProblem, design, design_law, export
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.stored import read_document
from mechdesign.errors import InputError
from mechdesign.workloads.ordered import Prefixes

LIGHT = 300_000
VOID = {"meta", "br"}
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


class Read(HTMLParser):
    """A page as a browser reads it: elements, texts by element, the content of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.texts, self.held = [], [], [], {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.held.setdefault((self.open[-1], self.elements[-1][1].get("type")), []).append(data)
        else:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())

    @property
    def policy(self):
        return next(attrs["content"] for tag, attrs in self.elements if "http-equiv" in attrs)

    @property
    def script(self):
        (one,) = self.held[("script", None)]
        return one

    @property
    def document(self):
        return parse_json("".join(self.held[("script", "application/json")]), "the page")


def page_of(found, folder):
    path = folder / "page.html"
    export(found, path)
    return path.read_bytes().decode()


@pytest.fixture(scope="module")
def best():
    return design(DesignProblem(8, "9/10", properties="WH,CM"))


@pytest.mark.parametrize(
    "problem",
    [
        DesignProblem(8, "9/10", properties="WH,CM"),
        DesignProblem(16, "9/10", properties="WH,CM", loss="L1"),
        pytest.param(DesignProblem(16, "19/20", loss="L2", prior="binomial:1/3"), marks=pytest.mark.slow),
    ],
    ids=["8", "16", "16, long numbers"],
)
def test_a_page_is_light_and_its_policy_names_all_that_it_has(problem, tmp_path):
    text = page_of(design(problem), tmp_path)
    assert len(text.encode()) < LIGHT
    page = Read(text)
    names = {
        kind: b64encode(hashlib.sha256(held.encode()).digest()).decode()
        for kind, held in (("script", page.script), ("style", page.held[("style", None)][0]))
    }
    assert page.policy.split("; ") == [
        "default-src 'none'",
        f"script-src 'sha256-{names['script']}'",
        f"style-src 'sha256-{names['style']}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert [tag for tag, _ in page.elements].count("style") == 1
    assert [tag for tag, attrs in page.elements if tag == "script"] == ["script", "script"]
    for _, attrs in page.elements:
        assert not {"src", "href", "style", "srcset", "action"} & set(attrs)
        assert not any(name.startswith("on") for name in attrs)
    without = text.replace("http://www.w3.org/2000/svg", "")  # a name of SVG, which nobody asks for
    assert not re.search(r"\b(https?|wss?|ftp):", without)
    assert not re.search(r"url\(|@import|\bimport\(|fetch\(|XMLHttpRequest|\beval\(|new Function", without)


def test_a_page_holds_the_document_and_says_what_it_proves(best, tmp_path):
    page = Read(page_of(best, tmp_path))
    stored = read_document(page.document, "the page")
    assert stored.passed
    assert stored.proved().mechanism == best.mechanism
    assert best.seal in page.text
    assert (
        "Proved: no mechanism for n = 8, alpha = 0.9, WH, CM, loss L0, prior uniform has a smaller expected loss."
        in (page.text)
    )
    assert "114025/118098" in page.text


@pytest.mark.parametrize(
    "change",
    [
        {"score": Fraction(1, 2)},
        {"lower_bound": Fraction(114025, 118098) + Fraction(1, 10**9)},
        {"holds": ("WH", "RH", "RM", "CH", "CM", "F", "S")},
    ],
    ids=["score", "bound", "properties"],
)
def test_nothing_is_sealed_that_the_document_does_not_prove(best, change, tmp_path):
    with refused(RefusedError):
        export(replace(best, **change), tmp_path / "page.html")
    with refused(RefusedError):
        replace(best, **change).show()
    assert not list(tmp_path.iterdir())


def test_a_seal_says_how_far_from_the_best_a_score_may_be():
    asked = design(DesignProblem(n=8, epsilon=1))
    assert asked.gap > 0
    told = re.fullmatch(r"Proved: no mechanism for (.*) has a score that is lower by more than (\S+)\.", asked.seal)
    assert told[1] == asked.problem.describe()
    assert asked.gap <= Fraction(told[2]) < asked.gap * Fraction(11, 10)
    worst = design(DesignProblem(n=3, alpha="1/2", aggregate="worst"))
    assert worst.seal.endswith("worst case has a smaller loss of the worst input.")
    metric = design(DesignProblem(model=Model.metric([[0, 1, "2.5"], [1, 0, 2], ["2.5", 2, 0]], unit=1), alpha="1/2"))
    assert ", distances as rounded," in metric.seal


def test_texts_of_others_do_not_run(best, tmp_path):
    text = page_of(replace(best, how=EVIL, method=EVIL), tmp_path)
    page = Read(text)
    assert EVIL in page.text
    assert (page.document["how"], page.document["method"]) == (EVIL, EVIL)
    assert [tag for tag, _ in page.elements if tag in ("script", "img")] == ["script", "script"]
    assert text.lower().count("<script") == 2
    named = Loss.from_matrix([[0, 1], [1, 0]])
    assert "<img" not in page_of(design(DesignProblem(n=1, alpha="1/2", loss=named)), tmp_path)


def test_a_notebook_has_the_page_in_a_sandbox(best, tmp_path):
    shown = best.show()
    assert repr(shown).startswith("<FramedPage: A proved mechanism: n = 8, alpha = 0.9")

    class Frame(HTMLParser):
        def handle_starttag(self, tag, attrs):
            self.tag, self.attrs = tag, dict(attrs)

    frame = Frame()
    frame.feed(shown._repr_html_())
    assert (frame.tag, frame.attrs["sandbox"]) == ("iframe", "allow-scripts")
    assert frame.attrs["srcdoc"] == page_of(best, tmp_path)


def test_pages_are_of_square_designs(tmp_path):
    for found in (design_law(alpha="1/2", properties="WH,CM"), design(WorkloadProblem(Prefixes(3), epsilon=1))):
        with refused(InputError):
            export(found, tmp_path / "page.html")
