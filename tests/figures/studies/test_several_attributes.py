"""The studies of RS+FD, SPL and SMP: on a small table to the last digit, on the published ones by what is known."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from data_files import needs_files
from wording import refused

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.datasets import published
from mechdesign_catalog.datasets.items import ItemTable
from mechdesign_catalog.systems.attributes import RsFd, Smp, Spl
from mechdesign_figures.plots.parts.settings import house_style
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.repeated import repeated, rescaled
from mechdesign_figures.studies.run import run_studies
from mechdesign_figures.studies.several_attributes import (
    ADULT,
    METHODS,
    NURSERY,
    POWERS,
    RAW,
    RESCALED,
    STUDIES,
    Truth,
    Tuples,
    log_epsilon,
)
from mechdesign_figures.studies.study import read_table, table_text

STANDARD_ERRORS = 5
"""Of 10 means, each of 40 repetitions with fixed seeds; t with 39 degrees of freedom: 1e-5 for each."""


def small(users=600):
    generator = np.random.default_rng(7)
    columns = [generator.choice(k, users, p=weights) for k, weights in ((2, (0.8, 0.2)), (3, (0.7, 0.2, 0.1)))]
    return ItemTable("small", ("a", "b"), (("0", "1"), ("0", "1", "2")), np.stack(columns, axis=1))


@pytest.fixture
def cache(monkeypatch):
    monkeypatch.setattr(DesignCache, "table", lambda self, name: small())
    return DesignCache()


def test_repetitions_in_few_numbers():
    assert repeated([1.0, 3.0]) == {"mean": 2.0, "deviation": 2**0.5, "standard_error": 1.0, "repetitions": 2}


def test_rescaled_estimates_are_a_distribution():
    assert rescaled(np.array([0.5, -0.2, 0.3])) == pytest.approx([0.625, 0, 0.375])
    assert rescaled(np.array([0.25, 0.75])).tolist() == [0.25, 0.75]
    with refused(ValueError):
        rescaled(np.array([0.0, -0.2]))


def test_the_error_by_hand():
    truth = Truth.of(ItemTable("two", ("a", "b"), (("0", "1"), ("0", "1", "2")), np.array([[0, 0], [0, 1]])))
    assert [shares.tolist() for shares in truth.shares] == [[1, 0], [0.5, 0.5, 0]]
    error = truth.error([np.array([0.8, 0.4]), np.array([0.5, 0.2, 0.3])])
    assert error == pytest.approx(((0.04 + 0.16) / 2 + (0.09 + 0.09) / 3) / 2)


def test_methods_are_what_they_are_called():
    made = {name: method.oracle((2, 90), Fraction(1)) for name, method in METHODS.items()}
    assert {name: type(oracle) for name, oracle in made.items()} == {
        "SPL[ADP]": Spl,
        "SMP[ADP]": Smp,
        "RS+FD[GRR]": RsFd,
        "RS+FD[OUE-z]": RsFd,
        "RS+FD[ADP]": RsFd,
    }
    assert made["RS+FD[GRR]"].encodings == ("grr", "grr")
    assert made["RS+FD[OUE-z]"].encodings == ("oue-z", "oue-z")
    assert made["RS+FD[ADP]"].encodings == ("grr", "oue-z")
    assert {oracle.privacy for oracle in made.values()} == {Privacy(epsilon=1)}


def test_settings_are_the_published_ones():
    assert [math.exp(log_epsilon(power)) for power in POWERS] == pytest.approx([2, 3, 4, 5, 6, 7])
    assert [study.number for study in STUDIES] == ["rsfd-adult", "rsfd-nursery"]
    assert [study.needs for study in STUDIES] == [("items:adult",), ("items:nursery",)]
    assert ADULT.seed != NURSERY.seed
    assert all(
        f"; {tuples.repetitions} repetitions" in s.setting for tuples, s in zip((ADULT, NURSERY), STUDIES, strict=True)
    )


@pytest.mark.slow
def test_simulation_agrees_with_expectation(cache):
    rows = [row for power in (2, 7) for row in ADULT._rows(Truth.of(small()), power, 40)]
    tried = [row for row in rows if row["estimates"] == RAW]
    assert len(tried) == 2 * len(METHODS)
    for row in tried:
        assert abs(row["mean"] - row["expected"]) <= STANDARD_ERRORS * row["standard_error"], row
    assert all(row["expected"] is None for row in rows if row["estimates"] == RESCALED)


def test_expectations_are_means_of_exact_variances():
    truth = Truth.of(small())
    oracle = RsFd((2, 3), Privacy(epsilon=1), "grr")
    two = oracle.variance(0, truth.shares[0], 600)
    three = oracle.variance(1, truth.shares[1], 600)
    assert truth.expected_error(oracle) == pytest.approx((two.sum() / 2 + three.sum() / 3) / 2)


def test_every_cell_has_noise_of_its_own(cache):
    tuples = Tuples("small", 2, 1)
    truth = Truth.of(small())
    assert tuples.errors(truth, 2, "SMP[ADP]") == tuples.errors(truth, 2, "SMP[ADP]")
    values = [tuples.errors(truth, power, name)[RAW] for power in (2, 3) for name in METHODS]
    assert len({value for pair in values for value in pair}) == 2 * len(values)
    other = replace(tuples, seed=2).errors(truth, 2, "SMP[ADP]")[RAW]
    assert other != tuples.errors(truth, 2, "SMP[ADP]")[RAW]


def test_both_errors_are_of_the_same_estimates(monkeypatch):
    """Estimates put in by hand: off by (0.2, 0.2) and (0, 0.2), rescaled by (0, 0) and (1/12, 1/12)."""
    truth = Truth.of(ItemTable("two", ("a", "b"), (("0", "1"), ("0", "1")), np.array([[0, 0], [0, 1]] * 2)))
    monkeypatch.setattr(Smp, "estimate", lambda self, state: [np.array([1.2, -0.2]), np.array([0.5, 0.7])])
    found = Tuples("two", 1, 1).errors(truth, 2, "SMP[ADP]")
    assert found[RAW] == pytest.approx([(0.04 + 0.02) / 2])
    assert found[RESCALED] == pytest.approx([(0 + 1 / 144) / 2])


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.number)
def test_quick_form_and_its_picture(study, cache):
    rows = study.rows(cache, True)
    assert rows == study.rows(cache, True)
    assert all(tuple(row) == study.columns for row in rows)
    assert {row["exp_epsilon"] for row in rows} == {2, 7}
    with house_style():
        raw, scaled = study.draw(read_table(table_text(study, rows))).axes
    lines = [line for line in raw.lines if line.get_linestyle() not in ("None", "")]
    for name, line, marks, other in zip(METHODS, lines, raw.containers, scaled.containers, strict=True):
        own = {kind: [r for r in rows if (r["method"], r["estimates"]) == (name, kind)] for kind in (RAW, RESCALED)}
        assert list(line.get_xdata()) == [row["epsilon"] for row in own[RAW]]
        assert list(line.get_ydata()) == [row["expected"] for row in own[RAW]]
        assert list(marks[0].get_ydata()) == [row["mean"] for row in own[RAW]]
        assert list(other[0].get_ydata()) == [row["mean"] for row in own[RESCALED]]
        assert other.get_label() == name
    assert [tick.get_text() for tick in raw.get_xticklabels()] == ["ln 2", "ln 7"]
    assert raw.get_yscale() == scaled.get_yscale() == "log"


def test_missing_tables_leave_their_studies_out(monkeypatch, tmp_path):
    def out_of_reach(file):
        raise InputError(f"{file.file_name} must be fetched, got no answer")

    monkeypatch.setattr(published.PublishedFile, "_cached", out_of_reach)
    found = {made.number: made.missing for made in run_studies(STUDIES, data_dir=tmp_path, quick=True)}
    assert found["rsfd-nursery"] == "nursery.data must be fetched, got no answer"
    assert found["rsfd-adult"].startswith("adult.data must be fetched")


@needs_files("nursery.data")
def test_expectations_on_nursery():
    """From the formulas alone: with d = 9 attributes GRR under SMP has p = 7/(k+6), q = 1/(k+6) at ln 7."""
    truth = Truth.of(DesignCache().table("nursery"))
    n, d = 12_960, 9
    for j, k in enumerate((3, 5, 4, 4, 3, 2, 3, 3, 5)):
        f = truth.shares[j]
        amplified = 1 + d * 6  # e^eps'
        p, q = amplified / (amplified + k - 1), 1 / (amplified + k - 1)
        gamma = (f * (p - q) + q + (d - 1) / k) / d
        published_variance = d**2 * gamma * (1 - gamma) / (n * (p - q) ** 2)
        ours = RsFd((3, 5, 4, 4, 3, 2, 3, 3, 5), Privacy(epsilon=log_epsilon(7)), "grr").variance(j, f, n)
        assert ours == pytest.approx(published_variance - f * (1 - f) / n, rel=1e-6)
