"""The program beside the kernel proves true workload designs, and no false claim gets through it."""

import copy
import hashlib
import json
import random
import re

import pytest
from row_documents import document, is_true
from row_tampering import CASES, FALSE_CLAIMS, LIES, MALFORMED, MALFORMED_CUTS, OF_KINDS, larger, lie, put
from two_checkers import FALSE, PROVED, UNREADABLE, by_engine, by_program

CHANGEABLE = ("prefixes", "worst", "cuts", "flat")


@pytest.fixture(scope="module")
def documents():
    return {case: document(*arguments) for case, arguments in CASES.items()}


def judged(data, tmp_path):
    """The verdict of the program; the engine's is the same."""
    path = tmp_path / "design.json"
    path.write_text(json.dumps(data))
    verdict = by_program(path)
    assert by_engine(path) == verdict, verdict
    return verdict


@pytest.mark.parametrize("case", CASES)
def test_true_designs_are_proved(case, documents, tmp_path, capsys):
    verdict = judged(documents[case], tmp_path)
    assert verdict == PROVED, capsys.readouterr().out


def test_an_exact_variance_longer_than_one_is_written_is_proved(documents, tmp_path, monkeypatch):
    for limit in ("LONGEST_EXACT", "MOST_EXACT_GROUPS"):
        monkeypatch.setattr(f"mechdesign.certificate.row_designs.variance.{limit}", 3)
        assert judged(documents["prefixes"], tmp_path) == PROVED


@pytest.mark.parametrize("name", FALSE_CLAIMS)
def test_false_claims_are_refuted(name, documents, tmp_path, capsys):
    data = copy.deepcopy(documents["prefixes"])
    FALSE_CLAIMS[name](data)
    assert judged(data, tmp_path) == FALSE
    assert re.search(r"^  FALSE   .*\)$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(("case", "name"), OF_KINDS, ids=map(" ".join, OF_KINDS))
def test_false_claims_of_each_kind_are_refuted(case, name, documents, tmp_path):
    data = copy.deepcopy(documents[case])
    OF_KINDS[case, name](data)
    assert judged(data, tmp_path) == FALSE


@pytest.mark.parametrize("name", LIES)
def test_one_lie_from_which_all_else_follows_is_found(name, tmp_path, capsys):
    assert judged(lie(*LIES[name]), tmp_path) == FALSE
    false = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  FALSE   ")]
    assert len([line for line in false if "there is no mechanism to compute it for" not in line]) == 1


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_workload_design_is_unreadable(name, documents, tmp_path, capsys):
    data = copy.deepcopy(documents["prefixes"])
    MALFORMED[name](data)
    assert judged(data, tmp_path) == UNREADABLE
    seen = capsys.readouterr()
    assert re.fullmatch(r"verify: \S+ is unreadable: [^\n]{1,180}\n", seen.err)
    assert "proved" not in seen.out


@pytest.mark.parametrize("key", ["denominator", "alpha"])
def test_a_long_number_is_no_text_of_digits(key, documents, tmp_path):
    """Readers keep numbers of so many digits as they are written."""
    text = json.dumps(documents["prefixes"])
    path = tmp_path / "design.json"
    path.write_text(re.sub(f'"{key}": "[^"]*"', f'"{key}": {"9" * 5000}', text))
    assert by_program(path) == by_engine(path) == UNREADABLE


@pytest.mark.parametrize("name", MALFORMED_CUTS)
def test_what_is_no_cut_is_unreadable(name, documents, tmp_path):
    data = copy.deepcopy(documents["cuts"])
    data["certificate"]["cuts"] = [MALFORMED_CUTS[name]]
    assert judged(data, tmp_path) == UNREADABLE


def test_remarks_of_others_are_passed_over(documents, tmp_path):
    assert judged(documents["prefixes"] | {"x": {"proved": False}}, tmp_path) == PROVED


def test_given_queries_are_rebuilt_and_their_digest_is_compared(documents, tmp_path):
    data = copy.deepcopy(documents["prefixes"])
    data["problem"]["queries"] = [["1"] * (u + 1) + ["0"] * (3 - u) for u in range(4)]
    data["problem"]["workload"] = "my queries.csv@8a5e3f0ef9d1"
    assert judged(data, tmp_path) == UNREADABLE
    text = "1\n1,0,0,0\n1,1,0,0\n1,1,1,0\n1,1,1,1\n"
    data["problem"]["workload"] = f"my queries.csv@{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    assert judged(data, tmp_path) == PROVED
    for wrong in ([], [["0"] * 4], [["1"] * 3], [[1, 0, 0, 0]], [["2", "0", "0", "0"]]):
        data["problem"]["queries"] = wrong
        assert judged(data, tmp_path) == UNREADABLE


def test_the_bound_of_a_histogram_is_none_of_two_groups_with_its_gram_matrix(documents, tmp_path, capsys):
    """Randomised response with weights that raise its variance from 4 to 73/4, the least of four items."""
    data = copy.deepcopy(documents["prefixes"])
    text = "1\n1,1,0,0\n0,0,1,1\n"
    data["problem"] |= {
        "alpha": "1/2",
        "epsilon": 0.6931471806,
        "workload": f"pairs.csv@{hashlib.sha256(text.encode()).hexdigest()[:12]}",
        "queries": [["1", "1", "0", "0"], ["0", "0", "1", "1"]],
    }
    data |= {"rows": ["1100", "0011", "0000"], "weights": ["40", "40", "380"], "denominator": "500"}
    data["variance"] = {side: {"exact": "73/4", "value": 18.25} for side in ("upper", "lower")}
    data |= {"inputs": dict.fromkeys(("least", "mean", "largest"), 18.25), "floor": 0, "gap": 0}
    data["certificate"] = {"kind": "levels", "scale": "25", "prior": ["1", "1"], "levels": ["25"], "prices": ["12"]}
    assert judged(data, tmp_path) == FALSE
    false = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  FALSE   ")]
    assert len(false) == 1
    assert "the workload has no levels" in false[0]


def numbers(value, path=()):
    """The places of all numbers and texts of digits in JSON values."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers(inner, (*path, key))
    elif type(value) in (int, float) or (isinstance(value, str) and re.fullmatch(r"-?\d+(/\d+)?", value)):
        yield path


def nudged(value, draw):
    if isinstance(value, float):
        return value * draw.choice([1 - 1e-7, 1 + 1e-7, 1 + 1e-12, 1 - 1e-12, 2, 0.5])
    if isinstance(value, int):
        return value + draw.choice([-2, -1, 1, 2])
    if set(value) <= {"0", "1"} and len(value) == 4:
        at = draw.randrange(4)
        return value[:at] + "10"[int(value[at])] + value[at + 1 :]
    return larger(value, draw.choice([-1000, -2, -1, 1, 2, 1000, 10**9]))


@pytest.mark.slow
@pytest.mark.parametrize("case", CHANGEABLE)
def test_no_change_of_a_number_is_proved_unless_it_is_true(case, documents, tmp_path, capsys):
    draw = random.Random(case)
    seen = []
    for _ in range(40):
        data = copy.deepcopy(documents[case])
        for keys in draw.sample(list(numbers(data)), draw.choice([1, 1, 2])):
            put(*keys, value=lambda value: nudged(value, draw))(data)
        verdict = judged(data, tmp_path)
        if verdict == PROVED:
            assert is_true(data), data
        elif verdict == FALSE and case != "cuts":
            assert not is_true(data), capsys.readouterr().out
        capsys.readouterr()
        seen.append(verdict)
    assert seen.count(FALSE) > 12
    assert PROVED in seen
