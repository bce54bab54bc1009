"""Every public function answers values of wrong types by an `InputError` in a line, and leaves everything as it was."""

import inspect
import os
import warnings

import good_calls
import matplotlib.pyplot as plt
import pytest
from wrong_values import WRONG

import mechdesign as md
import mechdesign_figures as mf

ENGINE, FIGURES = good_calls.engine_calls(), good_calls.figure_calls()
CALLS = {**ENGINE, **FIGURES}

HEAVY = {
    "landscape": 8, "sweep": 4, "sweep ldp": 4, "release_file": 4, "release_file people": 6, "design workload": 3,
    "design_workload": 6, "estimate_release": 3, "estimate_groups": 3,
    "plot_counts": 5, "plot_design": 12, "plot_landscape": 8, "plot_mechanism": 6,
    "plot_law": 12,
    "plot_release_estimate": 16, "plot_remap": 6, "plot_sweep": 12, "plot_workload_design": 12, "report_design": 8,
    "plot_estimate": 5, "picture_bytes": 4, "save_picture": 4, "plot_frequencies": 5, "plot_distribution": 5,
    "save_report": 4,
}  # fmt: skip
"""Calls that take long where a value is accepted try every so many of the values; each argument begins at another."""

RESULTS = {
    "Audit", "ByInput", "Calibration", "Claim", "ScoreComparison", "Derivation", "Design", "Estimate", "Landscape",
    "Law",
    "LawDerivation", "LawReport", "Ledger", "Loss", "RepairedDesign", "Model", "Plan", "Posterior", "Prior",
    "ReleaseEstimate", "ReleaseRecord", "RowMechanism", "SimulatedRelease", "StoredDocument",
    "SweepRow", "NearbyProperties", "Workload",
    "LevelDesign", "WorkloadDesign", "WorkloadReport", "DesignReport", "GroupEstimates", "MeasuredClaim",
    "Reproduction", "Study",
    "CurveAudit", "CurvePoint", "Guarantee", "NoiseTable", "NoiseTableDesign", "TableRelease", "Ties",
    "Formula", "FormulaLandscape", "LawFormula",
}  # fmt: skip
"""Classes whose values functions and class methods make: nobody calls them by their own name."""


def test_every_public_callable_has_a_call():
    """What is new is tried too, or said to be a result."""
    tried = {name.partition(" ")[0] for name in CALLS}
    for package in (md, mf):
        for name in package.__all__:
            value = getattr(package, name)
            if not callable(value) or (inspect.isclass(value) and issubclass(value, Exception)):
                continue
            assert name in tried or name in RESULTS, name


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    good_calls.fill(folder)
    return folder


def picture_of(folder):
    """What a folder holds, and what the process has open."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    return files, sorted(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else []


@pytest.fixture
def folder(filled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in filled.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
        (tmp_path / path.name).chmod(0o600)
    return tmp_path


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_value_is_refused_in_a_line(name, folder):
    warnings.simplefilter("ignore")
    make = CALLS[name]
    files = picture_of(folder)[0]
    for place, argument in enumerate(make(folder).arguments):
        stride = HEAVY.get(name, 1)
        for label in list(WRONG)[place % stride :: stride]:
            call = make(folder)
            before = picture_of(folder) if stride == 1 and label in ("True", "5,000 letters") else None
            try:
                call.function(**{**call.arguments, argument: WRONG[label]})
            except md.MechdesignError as error:
                message = str(error)
                assert message, f"{argument} = {label}"
                assert len(message.splitlines()) == 1, f"{argument} = {label}: {message}"
                assert before is None or picture_of(folder) == before, f"{argument} = {label}"
            except Exception as error:
                raise AssertionError(f"{argument} = {label}: {type(error).__name__}: {error}") from error
            for path in folder.iterdir():  # what an accepted value has written
                if path.name not in files:
                    path.unlink()
    plt.close("all")
    for descriptor in (0, 1, 2):
        os.fstat(descriptor)
