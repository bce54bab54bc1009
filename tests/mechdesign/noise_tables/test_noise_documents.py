"""Documents of noise tables: read back as written, and refused by both checkers once anything in them is changed."""

import copy
import json
import random

import pytest
from two_checkers import PROVED, by_program

import mechdesign as md
from mechdesign.documents.document import design_document, document_text
from mechdesign.documents.storage import read_stored
from mechdesign.errors import InputError, RefusedError
from mechdesign.verify import noise_table
from mechdesign.verify.formats import design_claims, read_design
from mechdesign.verify.texts import UnreadableError, parse_json

ASKED = {
    "delta": {"noise": 3, "variance": 2, "block": 1, "symmetric": True, "guarantees": ["1:0.4@0", "1@1"]},
    "L1": {"noise": 3, "variance": 2, "stay": "1/5", "zeros": "perturbed", "guarantees": ["1:0.2"]},
    "entropy": {"noise": 3, "variance": 2, "guarantees": ["1:0.2@1"]},
    "keys": {"noise": 3, "variance": 2, "keys": 64, "guarantees": ["1@1"]},
}


@pytest.fixture(scope="module", params=ASKED)
def written(request, tmp_path_factory):
    objective = "delta" if request.param == "keys" else request.param
    design = md.design_noise_table(**ASKED[request.param], objective=objective)
    path = tmp_path_factory.mktemp("tables") / f"{request.param}.json"
    md.export(design, path)
    return design, path


def test_what_is_read_is_what_was_written(written):
    design, path = written
    again = md.read_design(path)
    assert again.problem == design.problem
    assert again.mechanism == design.mechanism
    assert again.certificate == design.certificate
    assert (again.score, again.lower_bound, again.status) == (design.score, design.lower_bound, design.status)
    assert md.audit(path).passed
    assert by_program(path) == PROVED


def places(value, at=()):
    """The paths of all numbers, texts and flags."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in children:
        yield from places(inner, (*at, key))
    if not isinstance(value, dict | list):
        yield at


REMARKS = {"seconds", "version", "method", "how"}
FREE = {"weight", "value"}
"""A weight of a capped guarantee has no meaning, and a value may be rounded otherwise."""


def nudged(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if value is None:
        return "1"
    text = str(value)
    top, slash, bottom = text.partition("/")
    return f"{int(top) + 1}{slash}{bottom}" if top.lstrip("-").isdigit() else f"{text}x"


def is_refused(data):
    try:
        return not all(claim.true for claim in design_claims(read_design(parse_json(json.dumps(data)))))
    except UnreadableError:
        return True


def test_no_change_goes_through(written):
    """Every place once; a multiplier that no bound needs may change, and a demand that the table meets all the same."""
    _, path = written
    data = json.loads(path.read_text())
    kept = []
    for at in places(data):
        if at[0] in REMARKS or FREE & set(map(str, at)):
            continue
        changed = copy.deepcopy(data)
        holder = changed
        for key in at[:-1]:
            holder = holder[key]
        holder[at[-1]] = nudged(holder[at[-1]])
        if not is_refused(changed):
            kept.append(at)
    weaker = {"variance", "stay", "symmetric", "shape", "guarantees"}
    assert not [at for at in kept if at[0] != "dual" and not (at[0] == "problem" and at[1] in weaker)], kept


def test_random_changes_of_the_table_are_refused(written):
    _, path = written
    data, draw = json.loads(path.read_text()), random.Random(1)
    for _ in range(50):
        changed = copy.deepcopy(data)
        row = draw.choice([row for row in changed["rows"][1:] if len(row) > 2])
        first, second = draw.sample(row, 2)
        first[1], second[1] = str(int(first[1]) + 1), str(int(second[1]) - 1)
        assert is_refused(changed)


FORGED_TESTS = {
    "a negative weight without outputs": lambda tests: tests.append([0, 1, 2, "-5", []]),
    "a weight above its own": lambda tests: tests[0][4][0].__setitem__(1, str(int(tests[0][3]) + 1)),
    "a negative y": lambda tests: tests[0][4][0].__setitem__(1, "-1"),
    "an output twice": lambda tests: tests[0][4].append(list(tests[0][4][0])),
    "no neighbours": lambda tests: tests[0].__setitem__(2, tests[0][1]),
    "below the start": lambda tests: tests.append([0, -1, 0, "1", []]),
    "beyond the last": lambda tests: tests.append([0, 9, 8, "1", []]),
    "another guarantee": lambda tests: tests[0].__setitem__(0, 7),
    "a negative guarantee": lambda tests: tests[0].__setitem__(0, -1),
    "an output that is none": lambda tests: tests[0][4].append([99, "0"]),
}


@pytest.mark.parametrize("forged", FORGED_TESTS)
def test_forged_tests_prove_nothing(forged):
    """The caps of a table of least size, whose tests pay for what they say; whatever else the document claims."""
    asked = {"noise": 3, "variance": 2, "guarantees": ["1:0.2@1"], "objective": "L1"}
    data = json.loads(document_text(design_document(md.design_noise_table(**asked))))
    assert not is_refused(data)
    FORGED_TESTS[forged](data["dual"]["tests"])
    assert is_refused(data)
    found = read_design(parse_json(json.dumps(data)))
    costs = noise_table.costs_of(found.problem, found.rows, found.denominator)
    with pytest.raises(ValueError, match="a test"):
        noise_table.proved_bound(found.problem, found.certificate, costs, at_bound=False)


def test_what_is_no_share_ends_the_proof(written):
    """A logarithm of it would never end."""
    for weight in ("-1", str(10**60)):
        data = json.loads(written[1].read_text())
        data["rows"][2][0][1] = weight
        assert is_refused(data)


def test_another_format_is_unreadable(written):
    data = json.loads(written[1].read_text())
    with pytest.raises(UnreadableError):
        noise_table.read_noise_table({**data, "format": "mechdesign-noise-table/99"})


def test_an_empty_row_is_refused(written):
    data = json.loads(written[1].read_text())
    data["rows"][2] = []
    assert is_refused(data)


def test_a_noise_table_is_no_matrix(written, tmp_path):
    _, path = written
    for function in (md.read_matrix, md.read_mechanism):
        with pytest.raises(InputError):
            function(path)
    with pytest.raises(InputError):
        md.export(md.read_design(path), tmp_path / "t.csv")
    changed = json.loads(path.read_text())
    changed["status"] = "better"
    (tmp_path / "t.json").write_text(json.dumps(changed))
    with pytest.raises(RefusedError):
        md.read_design(tmp_path / "t.json")
    assert not read_stored(tmp_path / "t.json").passed
