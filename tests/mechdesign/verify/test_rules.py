"""Each rule of the format, and each number at which a verdict turns, by both checkers."""

import json
from fractions import Fraction

import pytest
from tampering import set_in, tampered
from two_checkers import FALSE, PROVED, UNREADABLE, by_engine, by_program

from mechdesign import DesignProblem, Loss, Model, Prior, design
from mechdesign.documents.document import design_document, document_text
from mechdesign.rational import integer_text


def designed(model, alpha="2/3", **asked):
    return design(DesignProblem(model=model, alpha=alpha, **asked))


COUNT = Model.count(4)
BAND = designed(Model.lldp(5, 2), loss="L1", properties="WH:1/2,OS:1/9", aggregate="worst")
LINE = designed(Model.metric([[0, "1/2"], ["1/2", 0]]), alpha="1/2")
FAIR = designed(COUNT, properties="F,RM", prior="binomial:1/3", loss="PB:1/3")
TABLE = designed(COUNT, loss=Loss.from_matrix([[abs(i - j) for j in range(5)] for i in range(5)]))
SHARES = designed(COUNT, prior=Prior.from_weights(["1/2", "1/4", "1/8", "1/8", 0]))


def widened(data):
    step = data["problem"]["step_alpha"]
    step["low"], step["high"] = step["high"], step["low"]


def negative_first(data):
    for row in data["dual"]["rows"]:
        if row[0] == "DP":
            row[5] = f"-{row[5]}"
            return


def shifted_prior(data):
    prior = data["problem"]["prior_weights"]
    prior[0], prior[4] = "3/4", "-1/4"


TRIANGLE = designed(Model.metric([[0, 2, 3], [2, 0, 4], [3, 4, 0]]), alpha="3/4")


def distances(*rows):
    """A change of the distances, the unit being 1."""

    def change(data):
        data["problem"]["distances"] = [[str(value) for value in row] for row in rows]

    return change


CASES = [
    (TRIANGLE, distances((0, 2, 7), (2, 0, 4), (7, 4, 0)), UNREADABLE),
    (TRIANGLE, distances((0, 2, 3), (2, 0, 4), (3, 5, 0)), UNREADABLE),
    (TRIANGLE, distances((0, 2, 3), (2, 1, 4), (3, 4, 0)), UNREADABLE),
    (TRIANGLE, distances((0, 2, 3), (2, 0, -4), (3, -4, 0)), UNREADABLE),
    (TRIANGLE, distances((0, 0, 3), (0, 0, 3), (3, 3, 0)), UNREADABLE),
    (TRIANGLE, distances((0, "1/2", 3), ("1/2", 0, 3), (3, 3, 0)), UNREADABLE),
    (TRIANGLE, distances((0, 1, 20_001), (1, 0, 20_001), (20_001, 20_001, 0)), UNREADABLE),
    (TRIANGLE, distances((0, 1, 20_000), (1, 0, 20_000), (20_000, 20_000, 0)), FALSE),
    (TRIANGLE, distances((0, 2, "7/2"), (2, 0, 4), ("7/2", 4, 0)), PROVED),
    (TRIANGLE, distances((0, 2, 3), (2, 0, 3), (3, 3, 0)), FALSE),
    (TRIANGLE, distances((0, 2), (2, 0)), UNREADABLE),
    (TRIANGLE, set_in("problem", "unit", value="0"), UNREADABLE),
    (LINE, widened, UNREADABLE),
    (LINE, set_in("problem", "step_alpha", "high", value="1"), UNREADABLE),
    (LINE, set_in("problem", "step_alpha", value={"low": "1/2", "high": "3/4"}), FALSE),
    (LINE, set_in("dual", "prices", value=["0", "0"]), FALSE),
    (LINE, set_in("problem", "k", value=3), UNREADABLE),
    (LINE, set_in("problem", "unit", value="2/3"), UNREADABLE),
    (LINE, set_in("problem", "unit", value="-1/2"), UNREADABLE),
    (LINE, set_in("problem", "unit", value="1/99999"), UNREADABLE),
    (LINE, set_in("problem", "distances", 0, 1, value="1/3"), UNREADABLE),
    (LINE, set_in("problem", "distances", 0, 0, value="1/2"), UNREADABLE),
    (LINE, set_in("problem", "distances", value=[["0", "9" * 400], ["9" * 400, "0"]]), UNREADABLE),
    (BAND, set_in("problem", "radius", value=5), UNREADABLE),
    (BAND, set_in("problem", "radius", value=0), UNREADABLE),
    (BAND, set_in("problem", "radius", value=4), FALSE),
    (BAND, set_in("problem", "properties", value=["WH", "WH:1/2", "OS:1/9"]), UNREADABLE),
    (BAND, set_in("problem", "properties", value=["WH:1/2", "OS:1/9", "OS:1/8"]), UNREADABLE),
    (BAND, set_in("problem", "properties", value=["WH:1/2", "OS:9/8"]), UNREADABLE),
    (BAND, set_in("problem", "properties", value=["WH:-1/2", "OS:1/9"]), UNREADABLE),
    (BAND, set_in("dual", "prices", value=["0"] * 5), FALSE),
    (BAND, set_in("dual", "prior", value=["1"]), FALSE),
    (BAND, set_in("dual", "prior", value=["1/5", "1/5", "1/5", "1/5", "1/4"]), FALSE),
    (BAND, set_in("dual", "prior", value=["-1", "1", "1", "0", "0"]), FALSE),
    (BAND, negative_first, FALSE),
    (BAND, set_in("dual", "denominator", value="-1"), FALSE),
    (BAND, set_in("dual", "denominator", value="0"), FALSE),
    (BAND, set_in("dual", "rows", 0, value=["DP", 0, 0, 0, 9, "1"]), FALSE),
    (BAND, set_in("dual", "rows", 0, value=["CM", 0, 0, 1, 0, "1"]), FALSE),
    (BAND, set_in("dual", "rows", 0, value="DP0001"), UNREADABLE),
    (BAND, set_in("dual", "rows", 0, 0, value=3), UNREADABLE),
    (BAND, set_in("problem", "alpha", value=f"1/{10**87}"), UNREADABLE),
    (BAND, set_in("problem", "alpha", value="3/2"), UNREADABLE),
    (BAND, set_in("problem", "alpha", value="-2/3"), UNREADABLE),
    (BAND, set_in("weights", value=[["1"] * 5] * 4), UNREADABLE),
    (FAIR, set_in("problem", "prior", value="binomial:4/3"), UNREADABLE),
    (FAIR, set_in("problem", "prior", value="binomial:-1/3"), UNREADABLE),
    (FAIR, set_in("problem", "prior", value="poisson:1/3"), UNREADABLE),
    (FAIR, set_in("problem", "prior", value="binomial:1/" + "9" * 2_000), UNREADABLE),
    (FAIR, set_in("problem", "loss", value="PB:1"), UNREADABLE),
    (FAIR, set_in("problem", "loss", value="PB:4/3"), UNREADABLE),
    (FAIR, set_in("problem", "loss", value="L256"), FALSE),
    (FAIR, set_in("problem", "loss", value="L257"), UNREADABLE),
    (FAIR, set_in("problem", "loss", value="L1:1000000"), UNREADABLE),
    (FAIR, set_in("problem", "loss", value="L1:999999"), FALSE),
    (FAIR, set_in("dual", "prices", value=["1"] * 4), FALSE),
    (TABLE, set_in("problem", "loss_matrix", 2, 2, value="1" + "0" * 300), FALSE),
    (TABLE, set_in("problem", "loss_matrix", 0, 0, value="1" + "0" * 301), UNREADABLE),
    (TABLE, set_in("problem", "loss_matrix", 0, 0, value="-1" + "0" * 301), UNREADABLE),
    (TABLE, set_in("problem", "loss_matrix", 0, value=["0"] * 4), UNREADABLE),
    (SHARES, shifted_prior, UNREADABLE),
    (SHARES, set_in("problem", "prior_weights", 0, value="3/4"), UNREADABLE),
    (SHARES, set_in("problem", "prior_weights", value=["1"]), UNREADABLE),
    (SHARES, set_in("weights", 0, 0, value="-1"), FALSE),
    (SHARES, set_in("lower_bound", value={"exact": "-1", "value": -1}), FALSE),
]


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
