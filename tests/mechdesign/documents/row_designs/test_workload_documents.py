"""Designs for workloads in files: round trips, and one clear line for everything that is no such design."""

import json
from fractions import Fraction

import numpy as np
import pytest

from mechdesign import InputError, WorkloadProblem, design, export, read_matrix, read_workload_design
from mechdesign.documents.document import document_text
from mechdesign.documents.storage import read_stored, require_design_exportable
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.ordered import Histogram, Prefixes

PROBLEMS = {
    "prefixes": WorkloadProblem(Prefixes(4), alpha="1/3"),
    "worst": WorkloadProblem(Prefixes(4), alpha="1/3", aggregate="worst"),
    "groups": WorkloadProblem(FixedRanges(7, 5), epsilon=1),
    "matrix": WorkloadProblem(MatrixWorkload.of([["0.5", 1, 0], [0, "1/3", 2]], "my,queries.csv"), epsilon="0.5"),
    "levels": WorkloadProblem(Marginals((2, 2, 2), 2), epsilon=1),
    "histogram": WorkloadProblem(Histogram(5), epsilon=2),
}


@pytest.fixture(scope="module")
def designs():
    return {name: design(problem) for name, problem in PROBLEMS.items()}


@pytest.mark.parametrize("suffix", [".json", ".npz"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_design_survives_a_round_trip_and_is_proved_again(name, suffix, designs, tmp_path):
    path, made = tmp_path / f"design{suffix}", designs[name]
    export(made, path)
    back = read_workload_design(path)
    assert (back.mechanism, back.proof, back.lower) == (made.mechanism, made.proof, made.lower)
    assert (back.upper, back.is_exact) == (made.upper, made.is_exact)
    assert back.problem == made.problem
    assert (back.how, back.method) == (made.how, made.method)
    for stated, true in zip(vars(back.by_input).values(), vars(made.by_input).values(), strict=True):
        assert float(stated) == pytest.approx(float(true), rel=1e-12)


def test_a_document_is_written_again_byte_by_byte(designs, tmp_path):
    for made in designs.values():
        path = tmp_path / "design.json"
        export(made, path)
        assert document_text(read_stored(path).raw).encode() == path.read_bytes()


def test_what_is_stated_is_rounded_to_the_safe_side(designs, tmp_path):
    for made in designs.values():
        path = tmp_path / "design.json"
        export(made, path)
        data = json.loads(path.read_text())
        variance = data["variance"]
        assert Fraction(repr(variance["upper"]["value"])) >= made.upper
        assert Fraction(repr(variance["lower"]["value"])) <= made.lower
        assert Fraction(repr(data["gap"])) >= made.gap
        assert Fraction(repr(data["floor"])) <= made.lower
        assert Fraction(repr(data["inputs"]["largest"])) >= made.by_input.largest
        assert (variance["upper"]["exact"] is None) == (not made.is_exact)


def test_csv_is_the_plain_matrix(designs, tmp_path):
    path, made = tmp_path / "design.csv", designs["groups"]
    export(made, path)
    written = np.loadtxt(path, delimiter=",")
    assert np.array_equal(written, made.mechanism.matrix())
    exact = [[made.mechanism.fraction(r, u) for u in range(7)] for r in range(made.mechanism.n_outputs)]
    assert np.array_equal(written, np.array(exact, dtype=np.float64))


@pytest.mark.parametrize("name", ["design.lp", "design.mps", "design.vipr"])
def test_there_is_no_programme_of_a_workload(name, designs, tmp_path):
    with pytest.raises(
        InputError, match=r"output of a workload design must end in \.json, \.csv, \.npz, got .*design\."
    ):
        export(designs["prefixes"], tmp_path / name)
    with pytest.raises(InputError, match="must end in"):
        require_design_exportable(tmp_path / name)
    assert not (tmp_path / name).exists()


def test_an_archive_must_hold_one_mechanism(designs, tmp_path):
    path = tmp_path / "design.npz"
    export(designs["prefixes"], path)
    with np.load(path) as arrays:
        matrix, document = arrays["matrix"], arrays["document"]
    np.savez(path, matrix=matrix[::-1], document=document)
    with pytest.raises(InputError, match="matrix and document must agree"):
        read_stored(path)


def test_a_workload_design_is_no_square_matrix(designs, tmp_path):
    path = tmp_path / "design.json"
    export(designs["prefixes"], path)
    said = (
        r"file must hold a matrix or a square design, got a workload design in .*design\.json, which mechdesign check "
    )
    with pytest.raises(InputError, match=said):
        read_matrix(path)


def put(*keys, value):
    def change(data):
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = value

    return change


def left_out(*keys):
    def change(data):
        for key in keys[:-1]:
            data = data[key]
        del data[keys[-1]]

    return change


MALFORMED = {
    "format": (
        put("format", value="mechdesign-workload/3"),
        r'format "mechdesign-workload/1" or "mechdesign-workload/2"\), got',
    ),
    "no-rows": (left_out("rows"), "workload design must have the key 'rows', got none"),
    "unknown": (put("colour", value=1), "no other keys than those of FORMAT.md, got 'colour'"),
    "model": (put("problem", "model", value="count"), "model of a workload design must be ldp, got 'count'"),
    "k": (put("problem", "k", value=10**9), "k must be a whole number from 2 to 2048, got 1000000000"),
    "k-bool": (put("problem", "k", value=True), "k must be a whole number"),
    "other-k": (put("problem", "k", value=5), "rows must be texts of 5 letters"),
    "alpha": (put("problem", "alpha", value="3/2"), r"alpha must be in \(0, 1\)"),
    "aggregate": (put("problem", "aggregate", value="median"), "aggregate must be expected or worst, got 'median'"),
    "aggregate-list": (put("problem", "aggregate", value=["worst"]), "aggregate must be expected or worst"),
    "workload": (put("problem", "workload", value="prefix"), "workload must be one of"),
    "workload-number": (put("problem", "workload", value=3), "workload must be a text"),
    "workload-spelling": (
        put("problem", "workload", value="Prefixes"),
        "as it is written, prefixes, got 'Prefixes'",
    ),
    "queries": (put("problem", "queries", value=[["1"]]), "no other keys"),
    "no-queries": (put("problem", "workload", value="a@0123456789ab"), "must have the key 'queries'"),
    "problem": (put("problem", value=[]), "problem must be a JSON object"),
    "rows-none": (put("rows", value=[]), "rows must be 1 to"),
    "rows-letter": (put("rows", 0, value="01a0"), "rows must be texts of 4 letters 0 and 1"),
    "rows-twice": (put("rows", value=["0011", "0011"]), "rows must be different"),
    "rows-number": (put("rows", 0, value=1100), "rows must be a text"),
    "weights": (put("weights", 0, value=3), "weights must be an integer written as a string"),
    "weights-few": (put("weights", value=["1"]), "weights must be [0-9]+ integers, got 1"),
    "denominator": (put("denominator", value="0"), "denominator must be positive"),
    "variance": (put("variance", value={"upper": 1}), "variance must have the key 'lower'"),
    "upper": (put("variance", "upper", value={"exact": None, "value": None}), "upper value must be a JSON number"),
    "lower": (put("variance", "lower", "exact", value=None), "lower must be an integer written as a string"),
    "inputs": (put("inputs", "least", value="1"), "inputs least must be a JSON number"),
    "floor": (put("floor", value=[]), "floor must be a JSON number"),
    "gap": (put("gap", value=True), "gap must be a JSON number"),
    "seconds": (put("seconds", "solve", value=-1), "seconds must be at least 0"),
    "how": (put("how", value=""), "how must be a text that is not empty"),
    "kind": (
        put("certificate", "kind", value="trust"),
        "certificate must be one of rows, relaxation, levels",
    ),
    "kind-list": (put("certificate", "kind", value=["rows"]), "kind of a certificate must be one of"),
    "certificate": (put("certificate", value=None), "certificate must be a JSON object"),
    "scale": (put("certificate", "scale", value="0"), "scale must be positive"),
    "prior": (put("certificate", "prior", value=["0"] * 4), "prior must be integers of at least 0, not all 0"),
    "prior-negative": (
        put("certificate", "prior", value=["-1", "1", "1", "1"]),
        "prior must be integers of at least 0",
    ),
    "dual": (put("certificate", "dual", value=[["1"]]), "dual must be the 4 rows of a lower triangle"),
    "dual-row": (put("certificate", "dual", 1, value=["1"]), "dual must be 2 integers, got 1"),
    "prices": (put("certificate", "prices", value=["1"] * 5), "prices must be 4 integers, got 5"),
    "diagonal": (put("certificate", "diagonal", value=[]), "no other keys than those of FORMAT.md, got 'diagonal'"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_document_is_refused_in_one_line(name, designs, tmp_path):
    path = tmp_path / "design.json"
    export(designs["prefixes"], path)
    data = json.loads(path.read_text())
    change, words = MALFORMED[name]
    change(data)
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match=words) as caught:
        read_stored(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 400


CUTS = {
    "length": ["1", [1, 0, 0]],
    "even": ["1", [1, 1, 0, 0, 0]],
    "text": ["1", ["1", 0, 0, 0, 0]],
    "truth": ["1", [True, 0, 0, 0, 0]],
    "huge": ["1", [2**21 + 1, 0, 0, 0, 0]],
    "multiplier": [1, [1, 0, 0, 0, 0]],
    "pair": ["1"],
    "no-list": "1",
}


@pytest.mark.parametrize("name", CUTS)
def test_a_malformed_cut_is_refused(name, designs, tmp_path):
    path = tmp_path / "design.json"
    export(designs["prefixes"], path)
    data = json.loads(path.read_text())
    data["certificate"] |= {"kind": "relaxation", "diagonal": ["0"] * 5, "cuts": [CUTS[name]]}
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match="cut"):
        read_stored(path)


def test_other_weights_than_those_of_the_digest_are_refused(designs, tmp_path):
    path = tmp_path / "design.json"
    export(designs["matrix"], path)
    data = json.loads(path.read_text())
    data["problem"]["queries"][0][0] = "1/3"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match=r"workload must be named as it is written, my,queries\.csv@"):
        read_stored(path)
