"""Limits that FORMAT.md states are the same in both checkers, and a number that is no number is none anywhere."""

import hashlib
import json
import sys
from math import lcm

import pytest
from contracts.two_checkers import FALSE, PROVED, UNREADABLE, by_engine, by_program

from mechdesign import WorkloadProblem, design, export
from mechdesign.audits.audit import audit
from mechdesign.verify.document import read_privacy
from mechdesign.verify.workloads import LONGEST_DENOMINATOR
from mechdesign.verify.workloads import WHOLE as VERIFIED
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.sides import KINDS


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    """The document of a design for given queries."""
    path = tmp_path_factory.mktemp("limits") / "design.json"
    export(design(WorkloadProblem(MatrixWorkload.of([["1", "0", "1/2"], ["0", "1", "0"]], "mine"), "1/3")), path)
    return json.loads(path.read_text())


def with_weight(document, top, bottom=1):
    """The document with another first weight, and the name that belongs to the queries then."""
    changed = json.loads(json.dumps(document))
    queries = [[tuple(map(int, (*text.split("/"), 1)[:2])) for text in row] for row in changed["problem"]["queries"]]
    queries[0][0] = (top, bottom)
    common = lcm(*(q for row in queries for _, q in row))
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        lines = [str(common), *(",".join(str(p * (common // q)) for p, q in row) for row in queries)]
        changed["problem"]["queries"][0][0] = f"{top}/{bottom}"
    finally:
        sys.set_int_max_str_digits(limit)
    digest = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()[:12]
    changed["problem"]["workload"] = f"mine@{digest}"
    return changed


def verdicts(path, data):
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return by_engine(path), by_program(path)


@pytest.mark.parametrize(
    ("top", "bottom", "verdict"),
    [
        (1, 1, PROVED),
        (10**100, 1, FALSE),
        (10**100 + 1, 1, UNREADABLE),
        (10**4500, 1, UNREADABLE),
        (-(10**101), 1, UNREADABLE),
        (1, 1 << LONGEST_DENOMINATOR - 1, FALSE),
        (1, 1 << LONGEST_DENOMINATOR, UNREADABLE),
        (1, 10**5000 + 1, UNREADABLE),
    ],
    ids=["true", "1e100", "above", "4500 digits", "below", "2048 bits", "2049 bits", "5000 digits"],
)
def test_weights_have_one_limit(document, top, bottom, verdict, tmp_path):
    """The program ended with a traceback where a weight had more digits than Python writes."""
    assert verdicts(tmp_path / "design.json", with_weight(document, top, bottom)) == (verdict, verdict)


def test_too_many_weights(document, tmp_path):
    many = json.loads(json.dumps(document))
    many["problem"]["queries"] *= 175_000
    assert verdicts(tmp_path / "design.json", many) == (UNREADABLE, UNREADABLE)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", '{"deep": [1, NaN]}'])
def test_json_has_no_such_numbers(document, value, tmp_path):
    path = tmp_path / "design.json"
    assert verdicts(path, document | {"x": {"a": 1.5, "b": ["NaN", "Infinity"]}}) == (PROVED, PROVED)
    assert verdicts(path, json.dumps(document)[:-1] + f', "x": {value}}}') == (UNREADABLE, UNREADABLE)


def test_privacy_is_compared_by_its_numbers_and_not_by_how_they_are_written():
    """Designs of one record may write one alpha in two ways."""
    one, other, less = (
        read_privacy({"alpha": alpha, "bound_alpha": "1/3", "asked_epsilon": "1"}) for alpha in ("2/4", "1/2", "2/5")
    )
    assert one == other != less


def test_nothing_is_said_of_a_floor_that_is_not_positive(document, tmp_path):
    path = tmp_path / "design.json"
    for floor, verdict, told in ((document["floor"], PROVED, True), (-1e9, PROVED, False), (1e9, FALSE, True)):
        assert verdicts(path, document | {"floor": floor}) == (verdict, verdict)
        assert any("floor" in claim.claim for claim in audit(path).claims) is told


def test_every_named_workload_can_be_verified():
    different = set(KINDS) ^ set(VERIFIED)
    assert not different, f"mechdesign/verify/workloads.py must state the same workloads by name: {sorted(different)}"
