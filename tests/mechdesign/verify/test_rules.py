"""Each rule of the format, and each number at which a verdict turns, by both checkers."""

import json
from fractions import Fraction

import pytest
from rule_cases import CASES, FAIR, LINE
from tampering import tampered
from two_checkers import FALSE, PROVED, UNREADABLE, by_engine, by_program

from mechdesign import DesignProblem, Loss, design
from mechdesign.documents.document import design_document, document_text
from mechdesign.rational import integer_text


@pytest.mark.parametrize(("best", "change", "verdict"), CASES)
def test_each_rule_of_the_format(best, change, verdict, tmp_path, capsys):
    assert by_program(tampered(best, tmp_path, lambda data: None)) == PROVED
    path = tampered(best, tmp_path, change)
    assert (by_program(path), by_engine(path)) == (verdict, verdict), capsys.readouterr()


def both(data, tmp_path):
    """The verdict of both, which must be the same."""
    path = tmp_path / "design.json"
    path.write_text(json.dumps(data))
    verdict = by_program(path)
    assert by_engine(path) == verdict
    return verdict


def written(best):
    return json.loads(document_text(design_document(best)))


@pytest.mark.parametrize("digits", [3_999, 4_000, 4_001, 4_300, 9_001])
def test_long_integers(digits, tmp_path):
    data = written(FAIR)
    scale = (10**digits - 1) // int(data["denominator"])
    scaled = [[integer_text(int(weight) * scale) for weight in row] for row in data["weights"]]
    data["weights"], data["denominator"] = scaled, integer_text(int(data["denominator"]) * scale)
    assert both(data, tmp_path) == PROVED
    scaled[0][0] = integer_text(int(written(FAIR)["weights"][0][0]) * scale + 1)
    assert both(data, tmp_path) == FALSE


HALF = written(design(DesignProblem(1, "1/3")))
"""Score and bound are exactly 1/2."""


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ("0.5", PROVED),
        ("5E-1", PROVED),
        ("0.5000000005", PROVED),
        ("0.4999999995", PROVED),
        ("0.50000000050000001", FALSE),
        ("0.49999999949999999", FALSE),
        ("-0.5", FALSE),
        ("0.5" + "0" * 997, PROVED),
        ("0.5" + "0" * 998, UNREADABLE),
        ("1e300", FALSE),
        ("1.1e300", UNREADABLE),
        ("5e-0001", UNREADABLE),
        ("1" + "0" * 4_000, UNREADABLE),
    ],
)
def test_values_are_read_as_they_are_written(value, verdict, tmp_path):
    path = tmp_path / "design.json"
    text = json.dumps(HALF)
    assert text.count('"value": 0.5}') == 2
    path.write_text(text.replace('"value": 0.5}', f'"value": {value}}}', 1))
    assert (by_program(path), by_engine(path)) == (verdict, verdict)


@pytest.mark.parametrize(
    ("epsilon", "verdict"),
    [
        (1.0986122886681098, PROVED),
        (1.0986122886681096, FALSE),
        (1.0986122897, PROVED),
        (1.0986122898, FALSE),
    ],
)
def test_epsilon_is_never_below_the_loss(epsilon, verdict, tmp_path):
    """-ln(1/3) is 1.09861228866810969..., and 1e-9 of it above 1.09861228976672..."""
    data = {**HALF, "problem": {**HALF["problem"], "epsilon": epsilon}}
    assert both(data, tmp_path) == verdict


def mixed(data, wrong, whole):
    """The same claims of another mechanism: `wrong / whole` off the diagonal."""
    rows = [[whole - wrong, wrong], [wrong, whole - wrong]]
    data["weights"], data["denominator"] = [[str(weight) for weight in row] for row in rows], str(whole)
    return data


@pytest.mark.parametrize(("wrong", "status"), [(250_000_000, "certified"), (250_000_001, "feasible")])
def test_a_gap_is_narrow_up_to_a_millionth(wrong, status, tmp_path):
    """A score of 500000/999999 is above 1/2 by exactly a millionth of itself."""
    score = Fraction(2 * wrong, 999_999_000)
    data = mixed(json.loads(json.dumps(HALF)), wrong, 999_999_000)
    data["score"] = {"exact": str(score), "value": float(score)}
    for word in ("exact", "certified", "feasible"):
        data["status"] = word
        assert both(data, tmp_path) == (PROVED if word == status else FALSE)


@pytest.mark.parametrize(("extra", "status"), [(1, "certified"), (2, "feasible")])
@pytest.mark.parametrize("scale", [1, 7])
def test_where_the_loss_cancels_a_gap_is_narrow_up_to_a_share_of_the_smallest_entry(extra, status, scale, tmp_path):
    """The best loss is 0, and with t more off the diagonal it is 4 t times the scale of the loss matrix."""
    loss = Loss.from_matrix([[-scale, 3 * scale], [3 * scale, -scale]])
    data = written(design(DesignProblem(1, "1/3", loss=loss)))
    assert data["score"]["exact"] == "0"
    data = mixed(data, 2**128 + extra, 2**130)
    score = Fraction(4 * extra * scale, 2**130)
    data["score"] = {"exact": str(score), "value": float(score)}
    for word in ("exact", "certified", "feasible"):
        data["status"] = word
        assert both(data, tmp_path) == (PROVED if word == status else FALSE)


def test_prices_prove_nothing_where_alpha_of_a_unit_is_enclosed(tmp_path):
    """Not even where they would prove the very bound that is claimed: at `low`, 2 low / (1 + low) for two points."""
    data = written(LINE)
    low = Fraction(data["problem"]["step_alpha"]["low"])
    half = low / (2 * (1 + low))
    data["dual"] = {"denominator": str(half.denominator), "rows": [], "prices": [str(half.numerator)] * 2}
    assert Fraction(data["lower_bound"]["exact"]) < Fraction(data["score"]["exact"])
    data["lower_bound"] = {"exact": str(4 * half), "value": float(4 * half)}
    assert both(data, tmp_path) == FALSE


@pytest.mark.parametrize("place", ["kind", "key", "remark"])
def test_half_a_letter_is_refused(place, tmp_path):
    data = written(FAIR)
    if place == "kind":
        data["dual"]["rows"].insert(0, ["\ud800", 0, 0, 0, 0, "1"])
    else:
        data["x"] = {"\udfff": 1} if place == "key" else ["a\ude00"]
    assert both(data, tmp_path) == UNREADABLE


@pytest.mark.parametrize("kind", ["\u2028", "DP on (0,0)\n  proved  everything"])
def test_what_a_file_names_is_not_repeated_in_a_verdict(kind, tmp_path, capsys):
    data = written(FAIR)
    data["dual"]["rows"].insert(0, [kind, 0, 0, 0, 0, "1"])
    assert both(data, tmp_path) == FALSE
    assert "no row of such a kind on (0,0)" in capsys.readouterr().out
