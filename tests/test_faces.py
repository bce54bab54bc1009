"""What may be used from outside: the names of each package, how they are loaded, and who may import them."""

import ast
import importlib
import os
import pickle
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = {
    "mechdesign": ROOT / "mechdesign",
    "mechdesign_catalog": ROOT / "catalog" / "mechdesign_catalog",
    "mechdesign_figures": ROOT / "figures" / "mechdesign_figures",
    "mechdesign_cli": ROOT / "cli" / "mechdesign_cli",
}
SURFACES = {
    "mechdesign": """
        Audit BudgetError ByInput Calibration Cells Claim ClusterError ScoreComparison Derivation Design DesignProblem
        Estimate
        GroupEstimates InfeasibleError InputError Intervals Landscape Law LawDerivation Ledger LevelDesign
        LimitReachedError LinearQueries Loss MachineError Mechanism MechdesignError RepairedDesign Model NoAnswerError
        NotCertifiedError Plan Posterior Prior Privacy Rectangles RefusedError ReleaseEstimate RowMechanism
        ReleaseRecord SimulatedRelease StoredDocument SweepRow WideGapError Workload WorkloadDesign WorkloadProblem
        NearbyProperties __version__ audit calibrate check_release compare_with_optimum derive
        derive_law design
        design_law design_workload estimate estimate_groups estimate_release export landscape make_plan mend
        parse_workload posterior privacy_statement read_design read_matrix read_mechanism read_record release
        release_file simulate_release sweep tabulate_wishes to_dp_accounting to_opendp to_qif
        CurveAudit CurvePoint Guarantee NoiseTable NoiseTableDesign NoiseTableProblem TableRelease Ties
        apply_noise_table find_ties audit_curve check_table_release design_noise_table
        Formula FormulaLandscape LawFormula formula formula_landscape law_formula read_formula
    """,
    "mechdesign_catalog": """
        CLOSED_FORMS MARGINAL_ORACLES NAMED_DESIGNS ORACLES POSTPROCESSING TABLE_POSTS TUPLE_FORMS
        Associations Estimate Flag flag_rates
        Attributes AucEstimate Bins ClosedForm CollectionState DataEntry Decoder Domain FrequencyEstimate GroupedCounts
        HeavyHitters HeavyRanges ItemCounts ItemSets KeyValues LearntTree LocalCalibration LossRow MarginalsEstimate
        MarginalsStanding
        MechanismRow OracleRow PrivateReports QuantileEstimate RangeMeans ReportedMean ScoreBins
        SetCounts BaselineStanding Standing WorkloadEstimate WorkloadStanding Task aggregate aggregate_sums
        make_task read_task receive_messages rank_baselines
        save_task best_oracle calibrate_reports candidates_of class_names closed_form collect compare_mechanisms
        compare_oracles count_bins count_items design_levels estimate_auc estimate_auc_of_halves estimate_range_means
        estimate_set_counts
        find_associations heavy_hitters heavy_ranges learn_tree list_data_sets loss_rows make_mechanism make_oracle
        make_tuple_oracle mbi_measurements moments open_data parse_marginal_oracle read_attributes
        open_item_table open_items open_table oracle_of_design parse_bins parse_oracle compare_with_landmarks
        postprocess
        privatize quantiles read_domain read_item_table read_ranges read_state reference_message survey_marginals
        survey_oracles survey_workload actual_epsilon write_state
    """,
    "mechdesign_figures": """
        CLAIMS STUDIES Claim DesignReport LawReport MeasuredClaim Reproduction Study claims_page measure_claims
        picture_bytes
        plot_associations plot_counts plot_dependence_tree plot_design plot_distribution plot_estimate
        plot_formula plot_formula_landscape plot_frequencies plot_landscape plot_law plot_marginal plot_mechanism
        plot_mechanism_comparison plot_oracle_comparison plot_noise_tables
        plot_release_estimate plot_remap plot_sweep plot_workload_design report_design report_law report_workload
        plot_wishes
        reproduce save_picture save_report WorkloadReport
    """,
}
HEAVY = ("numpy", "scipy", "flint", "highspy", "cvxpy", "matplotlib", "pyarrow", "rich", "typer", "requests")


def fresh(code: str, **environment: str) -> list[str]:
    """What a process of its own prints."""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


@pytest.fixture(params=SURFACES)
def package(request):
    return request.param


def test_the_surface_changes_on_purpose_only(package):
    listed, public = set(SURFACES[package].split()), set(importlib.import_module(package).__all__)
    assert public == listed, f"SURFACES of tests/test_faces.py, or {package}/__init__.pyi, must have {public ^ listed}"


def test_a_face_loads_nothing_until_it_is_used(package):
    assert fresh(f"import sys, {package}; print(*sys.modules.keys() & set({HEAVY}))") == []
    rooms = fresh(f"import sys, {package}; print(*(name for name in sys.modules if name.startswith('{package}.')))")
    assert rooms == []


@pytest.mark.slow
def test_all_can_be_loaded_at_once():
    assert "numpy" in fresh("import sys, mechdesign_figures; print(*sys.modules)", EAGER_IMPORT="1")


@pytest.mark.slow
def test_a_star_import_has_every_name(package):
    names = SURFACES[package].split()
    assert fresh(f"from {package} import *; print(*(name for name in {names} if name in globals()))") == names


def test_every_name_is_there_and_says_what_it_is(package):
    face = importlib.import_module(package)
    assert dir(face) == sorted(SURFACES[package].split())
    page = pydoc.plain(pydoc.render_doc(face))
    for name in face.__all__:
        value = getattr(face, name)
        if callable(value):
            assert value.__doc__, name
            assert name in page
            assert pickle.loads(pickle.dumps(value)) is value


def test_names_that_are_not_there_are_an_attribute_error(package):
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = importlib.import_module(package).no_such_name


def test_the_stub_states_each_name_once(package):
    stub = ast.parse((SOURCES[package] / "__init__.pyi").read_text())
    imported = [alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    (listed,) = (ast.literal_eval(node.value) for node in stub.body if isinstance(node, ast.Assign))
    assert sorted(imported) == sorted(listed) == sorted(set(listed))


def test_no_name_is_a_room(package):
    """Once imported, a room called like a function would take its place."""
    assert not rooms_of(package) & set(SURFACES[package].split())


@pytest.mark.slow
@pytest.mark.parametrize("importer", SOURCES)
def test_code_imports_rooms_and_never_a_face(importer):
    asked = [
        (path, name)
        for path in SOURCES[importer].rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in imported_from_a_face(node)
    ]
    assert asked == []


def imported_from_a_face(node: ast.AST) -> list[str]:
    """The names of a face that a statement imports, or the face itself."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name in SOURCES]
    if isinstance(node, ast.ImportFrom) and node.module in SOURCES:
        return [alias.name for alias in node.names if alias.name not in rooms_of(node.module)]
    return []


def rooms_of(package: str) -> set[str]:
    folder = SOURCES[package]
    return {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}


def test_a_face_that_is_imported_is_seen():
    statements = "import mechdesign\nfrom mechdesign import audit, verify\nimport mechdesign.verify\nimport numpy"
    seen = [name for node in ast.parse(statements).body for name in imported_from_a_face(node)]
    assert seen == ["mechdesign", "audit"]
