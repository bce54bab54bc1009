"""Design documents that break one rule of FORMAT.md each, with the verdict that both checkers owe them."""

from tampering import set_in
from two_checkers import FALSE, PROVED, UNREADABLE

from mechdesign import DesignProblem, Loss, Model, Prior, design
from mechdesign.certificate.proof import dual_certificate, proved_loss
from mechdesign.certificate.score import weights_score
from mechdesign.documents.document import exact_entry
from mechdesign.problem.properties import properties_of


def designed(model, alpha="2/3", **asked):
    return design(DesignProblem(model=model, alpha=alpha, **asked))


COUNT = Model.count(4)
BAND = designed(Model.lldp(5, 2), loss="L1", properties="WH:1/2,OS:1/9", aggregate="worst")
LINE = designed(Model.metric([[0, "1/2"], ["1/2", 0]]), alpha="1/2")
FAIR = designed(COUNT, properties="F,RM", prior="binomial:1/3", loss="PB:1/3")
TABLE = designed(COUNT, loss=Loss.from_matrix([[abs(i - j) for j in range(5)] for i in range(5)]))
SHARES = designed(COUNT, prior=Prior.from_weights(["1/2", "1/4", "1/8", "1/8", 0]))


def huge_powers(data):
    """A thousand digits to the power of 20,000."""
    alpha = f"{10**990 + 1}/{10**990 + 7}"
    data["problem"] |= {"alpha": alpha, "step_alpha": {"low": alpha, "high": alpha}}
    distances((0, 1, 20_000), (1, 0, 20_000), (20_000, 20_000, 0))(data)


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
    (TRIANGLE, huge_powers, UNREADABLE),
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
    (TABLE, set_in("problem", "loss_matrix", 2, 2, value="27" + "0" * 298 + "1/3"), FALSE),
    (TABLE, set_in("problem", "loss_matrix", 0, 0, value="1" + "0" * 301), UNREADABLE),
    (TABLE, set_in("problem", "loss_matrix", 0, 0, value="-1" + "0" * 301), UNREADABLE),
    (TABLE, set_in("problem", "loss_matrix", 0, value=["0"] * 4), UNREADABLE),
    (SHARES, shifted_prior, UNREADABLE),
    (SHARES, set_in("problem", "prior_weights", 0, value="3/4"), UNREADABLE),
    (SHARES, set_in("problem", "prior_weights", value=["1"]), UNREADABLE),
    (SHARES, set_in("weights", 0, 0, value="-1"), FALSE),
    (SHARES, set_in("lower_bound", value={"exact": "-1", "value": -1}), FALSE),
]

LEAKY = [[1, 4, 4, 4], [3, 2, 2, 2], [3, 2, 2, 2], [3, 2, 2, 2]]
"""Over 10: only output 0 tells input 0 from the others, by a factor of 4, and in one direction."""


def leaking(data):
    """The weights above, with everything else true of them."""
    problem = DesignProblem(3, "1/2")
    data["weights"], data["denominator"] = [[str(weight) for weight in row] for row in LEAKY], "10"
    data["score"] = exact_entry(weights_score(LEAKY, 10, problem.loss, problem.prior))
    data["holds"], data["status"] = list(properties_of(LEAKY, 10)), "feasible"


def understated(data):
    """A bound that is true, and less than the dual proves."""
    data["lower_bound"], data["status"] = {"exact": "19999999/30000000", "value": 0.66666663333}, "certified"


def proving(exact, value, **dual):
    """A change of the dual and of the bound that follows from it."""

    def change(data):
        data["dual"] = {"denominator": "12", "rows": [], **dual}
        data["lower_bound"], data["status"] = {"exact": exact, "value": value}, "feasible"

    return change


def with_a_row_more(data):
    data["dual"]["rows"].append(["CM", 0, 0, 1, 0, "0"])


ITEMS = designed(Model.ldp(4), alpha="1/2", loss="L1")


def with_bad_prices(data):
    """Prices that prove less than the best, on the complete graph without RM: some rows are negative."""
    proof = dual_certificate((), 4, (-4, 0, 8, 0))
    data["dual"] = {"denominator": "4", "rows": [], "prices": ["-4", "0", "8", "0"]}
    data["lower_bound"], data["status"] = exact_entry(proved_loss(ITEMS.problem, proof)), "feasible"


PAIR = designed(Model.count(1), alpha="1/2")
ROWS = [["DP", 0, 1, 0, 0, "4"], ["DP", 1, 0, 1, 1, "4"]]
CASES += [
    (ITEMS, with_bad_prices, PROVED),
    (designed(Model.count(3), alpha="1/2"), leaking, FALSE),
    (designed(Model.ldp(4), alpha="1/2"), leaking, FALSE),
    (PAIR, understated, FALSE),
    (PAIR, with_a_row_more, FALSE),
    (PAIR, set_in("x", value=[-(10**4_100), None]), PROVED),
    (PAIR, set_in("problem", "n", value=10**4_100), UNREADABLE),
    (PAIR, set_in("score", "value", value=10**4_100), UNREADABLE),
    (PAIR, proving("2/3", 0.6666666666, rows=ROWS), FALSE),
    (PAIR, proving("0", 0, prices=["6", "6"]), PROVED),
    (PAIR, proving("1/2", 0.5, rows=[*ROWS, ["DP", 0, 0, 0, 1, "-2"]]), FALSE),
]
"""The last: its bound is what the rows would prove if a negative multiplier were allowed."""
