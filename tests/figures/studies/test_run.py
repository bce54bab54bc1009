"""All studies together: every one runs in its reduced form, its designs solved once, and its table is enough."""

import csv
import importlib
import io
import re
from fractions import Fraction
from pathlib import Path
from pkgutil import walk_packages

import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.workers.choosing import workers_for
from mechdesign_catalog.datasets import published
from mechdesign_figures import claims, studies
from mechdesign_figures.claims import ledger
from mechdesign_figures.plots.parts.saving import picture_bytes
from mechdesign_figures.studies import registry, run
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.registry import STUDIES, find_study
from mechdesign_figures.studies.run import reproduce, run_studies, work_of


def test_numbers_in_order():
    assert list(STUDIES)[:17] == [f"6.{k}" for k in range(1, 18)]
    assert find_study(" 6.9 ").number == "6.9"
    with refused(InputError, about="study"):
        find_study("6.99")


@pytest.mark.slow
def test_shared_designs_are_listed_once():
    studies = list(STUDIES.values())
    problems = work_of(studies, quick=True)
    assert len(problems) == len(set(problems))
    assert {p for s in studies for p in s.problems(True)} == set(problems)
    sizes = [problem.size for problem in problems]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.slow
def test_tables_and_pictures():
    studies = [find_study("6.6"), find_study("6.2")]
    told = []
    found = {
        made.number: made
        for made in run_studies(studies, suffix=".svg", workers=workers_for(2), quick=True, report=told.append)
    }
    made = [found[study.number] for study in studies]
    assert told[-1] == len(work_of(studies, True)) + 2
    for study, result in zip(studies, made, strict=True):
        header, *rows = csv.reader(io.StringIO(result.table.decode()))
        assert tuple(header) == study.columns
        assert rows
        assert b"<svg" in result.picture


@pytest.mark.slow
def test_a_study_from_python():
    made = reproduce("6.6", quick=True)
    assert made.study.number == "6.6"
    assert made.table.splitlines()[0].split(",") == list(made.study.columns)
    assert len(made.table.splitlines()) == 1 + len(made.rows)
    (again,) = run_studies([made.study], suffix=".svg", quick=True)
    assert picture_bytes(made.figure, ".svg") == again.picture
    assert made.table.encode() == again.table


def test_every_module_with_studies_or_claims_is_registered():
    for package, listed, name in ((studies, registry.MODULES, "STUDIES"), (claims, ledger.MODULES, "CLAIMS")):
        modules = [
            importlib.import_module(found.name) for found in walk_packages(package.__path__, f"{package.__name__}.")
        ]
        own = {module for module in modules if hasattr(module, name)} - {registry, ledger}
        lacking = sorted(module.__name__ for module in own - set(listed))
        register = registry if name == "STUDIES" else ledger
        assert not lacking, f"MODULES of {register.__file__} must have {lacking}"
        assert own == set(listed)
        assert len(listed) == len(own)


def test_missing_data_are_found_out_before_any_work(monkeypatch, tmp_path):
    def out_of_reach(file):
        raise InputError("adult.data must be fetched, got no answer")

    def no_work(*anything):
        raise AssertionError("must not begin")

    monkeypatch.setattr(published.PublishedFile, "_cached", out_of_reach)
    monkeypatch.setattr(run, "_make", no_work)
    monkeypatch.setattr(run, "canonical_design", no_work)
    (made,) = run_studies([find_study("6.9")], data_dir=tmp_path)
    assert (made.missing, made.picture) == ("adult.data must be fetched, got no answer", b"")


def test_the_bench_solves_once_and_remembers_what_was_not_foreseen():
    cache = DesignCache()
    first = cache.mechanism("WM", 4, Fraction(9, 10))
    assert cache.mechanism("WM", 4, Fraction(9, 10)) is first
    assert len(cache.missed) == 1


def test_the_gallery_shows_every_study_with_its_command():
    gallery = Path(__file__).parents[3] / "figures"
    page = (gallery / "README.md").read_text()
    for number, study in STUDIES.items():
        row = f"![{study.title}](gallery/{number}.png) | {study.title} ([table](gallery/{number}.csv))"
        is_shown = row in page and f"`mechdesign reproduce {number}`" in page
        assert is_shown, f"figures/README.md must have | {row} | `mechdesign reproduce {number}` |"
        assert tuple((gallery / f"gallery/{number}.csv").read_text().splitlines()[0].split(",")) == study.columns
    pictures = {path.name for path in (gallery / "gallery").glob("*.png")}
    assert {word.split(")")[0] for word in page.split("](gallery/")[1:]} >= pictures


def test_the_page_on_studies_counts_the_verdicts_of_the_ledger():
    home = Path(__file__).parents[3]
    counts = re.search(
        r"(\d+) claims. Verdicts: holds (\d+), holds with a condition (\d+), does not hold here (\d+)\.",
        (home / "figures/CLAIMS.md").read_text(),
    )
    page = " ".join((home / "docs/how-to/reproduce.md").read_text().split())
    claims, holds, conditions, fails = counts.groups()
    told = f"Of {claims}, {holds} hold in every case tried, {conditions} hold with a condition and {fails} do not hold"
    assert told in page
