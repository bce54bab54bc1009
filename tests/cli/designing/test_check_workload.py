"""`mechdesign check` of a design for a workload, and reading one back."""

import json

import pytest
from row_documents import all_subsets, document
from wording import check_wording, refused

from mechdesign import InputError, RefusedError, WorkloadDesign, audit, read_design
from mechdesign_cli.app import run


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "prefix4.json"
    path.write_text(json.dumps(document("prefixes", 4, "1/3", all_subsets(4, 1, 2))))
    return path


def changed(file, name, **keys):
    path = file.with_name(name)
    path.write_text(json.dumps(json.loads(file.read_text()) | keys))
    return path


def test_a_true_design_is_shown_with_its_claims(file, capsys):
    assert run(["check", str(file)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "10 outputs (4 bits) x 4 items" in shown
    assert "LDP, k = 4, alpha = 1/3, workload prefixes, mean over inputs" in shown
    assert "variance 6.125 / n for n users (items equally frequent; sum of 4 answers)" in shown
    assert "certificate all 2^4 rows priced in integers" in shown
    assert "by item 6.015 to 6.235" in shown
    assert "true the variance for each user is 49/8" in shown
    assert "FALSE" not in shown


def test_what_is_said_of_a_design_is_rounded_to_the_safe_side(file, capsys):
    third = json.loads(file.read_text())["variance"]["upper"] | {"value": 6.1250000000001}
    path = changed(file, "up.json", variance={"upper": third, "lower": {"exact": "6", "value": 6}}, gap=0.0208333334)
    run(["check", str(path)])
    shown = " ".join(capsys.readouterr().out.split())
    assert "variance 6.12500001 / n" in shown
    assert "gap 0.021 of the bound" in shown
    path = changed(file, "gap.json", gap=0.0201)
    run(["check", str(path)])
    assert "gap 0.021 of the bound" in " ".join(capsys.readouterr().out.split())


def test_a_false_claim_is_named_and_ends_with_1(file, capsys):
    path = changed(file, "lie.json", inputs={"least": 6.0, "mean": 6.125, "largest": 6.235})
    assert run(["check", str(path)]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "FALSE the least variance over the items is 6 (it is about 6.015)" in shown
    assert run(["check", str(path), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["kind"], found["passed"], found["outputs"], found["inputs"]) == ("workload", False, 10, 4)
    assert [claim for claim in found["claims"] if not claim["true"]] == [
        {"claim": "the least variance over the items is 6", "true": False, "detail": "it is about 6.015"}
    ]


def test_sums_that_are_off_are_shown(file, capsys):
    path = changed(file, "sums.json", weights=["2"] + ["1"] * 9)
    assert run(["check", str(path), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert not found["column_sums_exact"]
    assert [item for item, _ in found["column_errors"]] == [0, 1, 2, 3]
    assert run(["check", str(path)]) == 1
    assert "4 of 4 do not sum to 1; worst: item 0 by" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "option", [["--alpha", "0.5"], ["--props", "WH"], ["--model", "ldp"], ["--row-stochastic"]], ids=" ".join
)
def test_options_of_matrices_do_not_go_with_it(option, file, capsys):
    assert run(["check", str(file), *option]) == 2
    check_wording(capsys.readouterr().err)


def test_a_design_is_read_back_proved(file):
    found = read_design(file)
    assert isinstance(found, WorkloadDesign)
    assert (found.score, found.has_exact_score, found.mechanism.n_outputs) == (49 / 8, True, 10)
    assert found.gap == pytest.approx(json.loads(file.read_text())["gap"], rel=1e-9)
    assert repr(audit(file)).endswith("16 claims, all true>")
    assert "49/8" in audit(file)._repr_html_()
    with refused(RefusedError):
        read_design(changed(file, "floor.json", floor=6))
    matrix = file.with_name("matrix.csv")
    matrix.write_text("0.5,0.5\n0.5,0.5\n")
    with refused(InputError, about="file"):
        read_design(matrix)
