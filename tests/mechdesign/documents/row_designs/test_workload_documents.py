"""Designs for workloads in files: round trips, and one clear line for everything that is no such design."""

import json
from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError, WorkloadProblem, design, export, read_design, read_matrix
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
    back = read_design(path)
    assert (back.mechanism, back.certificate, back.lower_bound) == (made.mechanism, made.certificate, made.lower_bound)
    assert (back.score, back.has_exact_score) == (made.score, made.has_exact_score)
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
        assert Fraction(repr(variance["upper"]["value"])) >= made.score
        assert Fraction(repr(variance["lower"]["value"])) <= made.lower_bound
        assert Fraction(repr(data["gap"])) >= made.gap
        assert Fraction(repr(data["floor"])) <= made.lower_bound
        assert Fraction(repr(data["inputs"]["largest"])) >= made.by_input.largest
        assert (variance["upper"]["exact"] is None) == (not made.has_exact_score)


def test_csv_is_the_plain_matrix(designs, tmp_path):
    path, made = tmp_path / "design.csv", designs["groups"]
    export(made, path)
    written = np.loadtxt(path, delimiter=",")
    assert np.array_equal(written, made.mechanism.matrix())
    exact = [[made.mechanism.fraction(r, u) for u in range(7)] for r in range(made.mechanism.n_outputs)]
    assert np.array_equal(written, np.array(exact, dtype=np.float64))


@pytest.mark.parametrize("name", ["design.lp", "design.mps", "design.vipr"])
def test_there_is_no_programme_of_a_workload(name, designs, tmp_path):
    with refused(InputError):
        export(designs["prefixes"], tmp_path / name)
    with refused(InputError):
        require_design_exportable(tmp_path / name)
    assert not (tmp_path / name).exists()


def test_an_archive_must_hold_one_mechanism(designs, tmp_path):
    path = tmp_path / "design.npz"
    export(designs["prefixes"], path)
    with np.load(path) as arrays:
        matrix, document = arrays["matrix"], arrays["document"]
    np.savez(path, matrix=matrix[::-1], document=document)
    with refused(InputError):
        read_stored(path)


def test_a_workload_design_is_no_square_matrix(designs, tmp_path):
    path = tmp_path / "design.json"
    export(designs["prefixes"], path)
    with refused(InputError):
        read_matrix(path)


def put(*keys, value):
    def change(data):
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = value

    return change


MALFORMED = {
    "format": put("format", value="mechdesign-workload/4"),
    "unknown": put("colour", value=1),
    "workload": put("problem", "workload", value="Prefixes"),
    "rows": put("rows", 0, value="01a0"),
    "certificate": put("certificate", "dual", 1, value=["1"]),
}
"""What each reader says in its own place; all that is malformed is refused in `verify/test_row_designs`."""


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_document_is_refused_in_one_line(name, designs, tmp_path):
    path = tmp_path / "design.json"
    export(designs["prefixes"], path)
    data = json.loads(path.read_text())
    change = MALFORMED[name]
    change(data)
    path.write_text(json.dumps(data))
    with refused(InputError) as caught:
        read_stored(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 400


def test_other_weights_than_those_of_the_digest_are_refused(designs, tmp_path):
    path = tmp_path / "design.json"
    export(designs["matrix"], path)
    data = json.loads(path.read_text())
    data["problem"]["queries"][0][0] = "1/3"
    path.write_text(json.dumps(data))
    with refused(InputError, about="workload"):
        read_stored(path)
