"""The kernel refuses everything that is not exactly right."""

from fractions import Fraction

import pytest
from cases import WM
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import DesignProblem, Loss, Mechanism, Model, RefusedError, design
from mechdesign.certificate.proof import dual_certificate, proved_loss
from mechdesign.designs import checked_design
from mechdesign.methods.answer import Answer
from mechdesign.verify import kernel

PROBLEM = DesignProblem(5, "9/10", properties=f"{WM},S")
DESIGN = design(PROBLEM)
ALPHA = (9, 10)
EDGES = PROBLEM.graph.edges


def defects(weights, properties=PROBLEM.properties, denominator=DESIGN.mechanism.denominator, alpha=ALPHA):
    return list(kernel.defects(weights, denominator, alpha, EDGES, properties))


def changed(i, j, by):
    rows = [list(row) for row in DESIGN.mechanism.weights]
    rows[i][j] += by
    return rows


def test_a_certified_design_passes():
    assert defects(DESIGN.mechanism.weights) == []


@pytest.mark.parametrize("by", [1, -1])
def test_any_single_weight_changed_by_one_is_refused(by):
    for i in range(6):
        for j in range(6):
            assert f"column {j} does not sum to the denominator" in defects(changed(i, j, by))


def test_a_change_that_keeps_the_column_sums_is_refused_too():
    """Move one unit within a column: some tight privacy row or property must notice, for every pair of outputs."""
    for j in range(6):
        for i in range(6):
            rows = changed(i, j, 1)
            rows[(i + 1) % 6][j] -= 1
            assert defects(rows), (i, j)


def test_shapes_signs_and_types():
    assert defects([[1]]) == ["the matrix is not square, or smaller than 2 x 2"]
    assert defects([[1, 2, 3], [1, 2, 3]]) == ["the matrix is not square, or smaller than 2 x 2"]
    assert defects([[0.5, 0.5], [0.5, 0.5]])[0].startswith("the weights are not integers")
    assert defects([[True, True], [True, True]])[0].startswith("the weights are not integers")
    negative = list(kernel.defects([[3, 3], [-1, -1]], 2, ALPHA, [(0, 1, 1)], []))
    assert negative[0] == "weight (1,0) is negative"
    assert defects(DESIGN.mechanism.weights, denominator=0)
    assert "XX is not a property" in defects(DESIGN.mechanism.weights, properties=["XX"])


@given(st.lists(st.lists(st.integers(0, 12), min_size=3, max_size=3), min_size=1, max_size=3))
def test_privacy_is_checked_both_ways_over_every_edge(weights):
    """Against the definition, one inequality at a time; the edge from 2 to 0 runs backwards."""
    edges = [(0, 1, 1), (2, 0, 1)]
    private = all(
        Fraction(a) >= Fraction(3, 4) * b
        for row in weights
        for j, k, _ in edges
        for a, b in ((row[j], row[k]), (row[k], row[j]))
    )
    assert (not list(kernel.privacy_defects(weights, (3, 4), edges))) == private


def test_nothing_unsound_leaves_the_workshop(monkeypatch):
    identity = Mechanism(tuple(tuple(int(i == j) for j in range(6)) for i in range(6)), 1)
    with refused(RefusedError):
        checked_design(PROBLEM, Answer(identity, DESIGN.certificate, "by hand"), "", 0.0, 0.0, 0.0)
    free = DesignProblem(5, "9/10")
    boast = Answer(design(free).mechanism, DESIGN.certificate, "boast")
    monkeypatch.setattr("mechdesign.designs.proved_loss", lambda problem, certificate: Fraction(1))
    with refused(RefusedError):
        checked_design(free, boast, "", 0, 0, 0)


@pytest.mark.parametrize("alpha", [(0, 1), (1, 1), (10, 9), (-1, 2)])
def test_an_alpha_out_of_range_is_refused(alpha):
    assert "alpha is not in (0, 1)" in defects(DESIGN.mechanism.weights, alpha=alpha)


def test_a_smaller_epsilon_than_it_has_is_refused():
    assert any("distinguishes inputs" in text for text in defects(DESIGN.mechanism.weights, alpha=(91, 100)))


COST = [[0 if i == j else 1 for j in range(3)] for i in range(3)]


PATH = [(0, 1, 1), (1, 2, 1)]


def bound(multipliers, properties=(), denominator=1, alpha=ALPHA, prices=None):
    return Fraction(*kernel.dual_bound(COST, 1, alpha, PATH, properties, multipliers, denominator, prices))


def test_the_bound_by_hand():
    assert bound([]) == 0
    # raising R[0][1] by alpha m and lowering R[0][0] by m: column 0 falls to -m, column 1 is still 0 on the diagonal
    assert bound([("DP", 0, 0, 0, 1, 1)]) == -1
    # P[1,1] >= 9/10 P[1,0] priced at 1: R[1][1] = -1, R[1][0] = 19/10
    assert bound([("DP", 1, 1, 1, 0, 1)]) == -1
    # WH: m (P[0,0] - 1/3): R[0][0] = -m, constant m/3
    assert bound([("WH", 0, 0, 0, 0, 3)], ["WH"]) == -3 + 1
    assert bound([("WH", 0, 0, 0, 0, 3)], ["WH"], denominator=6) == Fraction(-1, 2) + Fraction(1, 6)


@pytest.mark.parametrize(
    ("multiplier", "properties"),
    [
        (("DP", 0, 0, 0, 1, -1), ()),
        (("DP", 0, 0, 0, 2, 1), ()),
        (("DP", 0, 0, 1, 1, 1), ()),
        (("DP", 0, 0, 0, 3, 1), ()),
        (("DP", 0, 0, 0, -1, 1), ()),
        (("DP", 0, 0, 0, 1, 0.5), ()),
        (("WH", 0, 1, 0, 1, 1), ("WH",)),
        (("WH", 0, 0, 0, 0, 1), ()),
        (("WH", 1, 1, 1, 0, 1), ("WH",)),
        (("RH", 0, 0, 0, 1, 1), ("CH",)),
        (("RH", 0, 1, 0, 0, 1), ("RH",)),
        (("RM", 0, 0, 0, 2, 1), ("RM",)),
        (("RM", 0, 2, 0, 1, 1), ("RM",)),
        (("CH", 1, 0, 0, 0, 1), ("CH",)),
        (("CM", 2, 0, 1, 0, 1), ("CM",)),
        (("CM", 0, 0, 2, 0, 1), ("CM",)),
        (("F", 0, 0, 0, 1, 1), ("F",)),
        (("S", 0, 1, 0, 1, 1), ("S",)),
        (("OS", 0, 0, 1, 0, 1), ()),
        (("OS", 0, 0, 2, 0, 1), ("OS:1/2",)),
        (("OS", 0, 0, 1, 1, 1), ("OS:1/2",)),
        (("XX", 0, 0, 1, 1, 1), ("XX",)),
    ],
)
def test_multipliers_on_rows_that_do_not_exist_are_refused(multiplier, properties):
    with refused(ValueError):
        bound([multiplier], properties)


def test_multipliers_of_equalities_may_be_negative():
    assert bound([("F", 0, 0, 1, 1, -2)], ["F"]) <= 0


def test_prices_by_hand():
    assert bound([], prices=[0, 0, 0]) == 0
    # prices 1: row 0 has R - y = (-1, 0, 0), and so on: each row is worth -1 at its own place
    assert bound([], prices=[1, 1, 1]) == 3 - 3
    # prices 1/2 each: R - y = (-1/2, 1/2, 1/2) in row 0: -1/2 + 9/20 + 81/200 > 0; row 1: -1/2 + 9/10 > 0
    assert bound([], prices=[1, 1, 1], denominator=2) == Fraction(3, 2)
    # price 2 on column 2: rows (0, 1, -1), (1, 0, -1), (1, 1, -2); negative tails grow by 10/9 a step, others shrink
    down, up = Fraction(9, 10), Fraction(10, 9)
    assert bound([], prices=[0, 0, 2]) == 2 + (1 - up) * up + (down - up) + (-2 + (1 + down) * down)
    # with RM no step away may grow
    assert bound([], ["RM"], prices=[0, 0, 2]) == 2 + 0 + (down - 1) + (-2 + (1 + down) * down)


def test_prices_of_a_complete_graph_by_hand():
    def complete(prices, properties=()):
        return Fraction(*kernel.dual_bound(COST, 1, (1, 2), None, properties, [], 1, prices))

    # row 0 is (-1, 0, 0) after prices 1: worth -1; prices (2, 0, 0): rows (-2, 1, 1), (-1, 0, 1), (-1, 1, 0)
    assert complete([1, 1, 1]) == 0
    assert complete([2, 0, 0]) == 2 + (-2 + 1) + (-1 + Fraction(1, 2)) + (-1 + Fraction(1, 2))
    # RM in row 2: (-1, 1, 0): reaching input 0 at full size means full size at input 1 as well
    assert complete([2, 0, 0], ["RM"]) == 2 + (-2 + 1) + (-1 + Fraction(1, 2)) + min(
        Fraction(-1 + 1, 1), Fraction(-1 + 1, 2)
    )


@pytest.mark.parametrize("prices", [[0, 0], [0, 0, 0.5], [0, 0, True, 0]])
def test_malformed_prices_are_refused(prices):
    with refused(ValueError):
        bound([], prices=prices)


def test_prices_need_a_path_or_a_complete_graph():
    band = [(j, k, 1) for j in range(3) for k in range(j + 1, 3)]
    with refused(ValueError):
        kernel.dual_bound(COST, 1, ALPHA, band, (), [], 1, [0, 0, 0])


@pytest.mark.slow
@settings(max_examples=50)
@given(
    st.sampled_from(["count", "metric path", "ldp", "band"]),
    st.sets(st.sampled_from(["WH", "RH", "RM", "CH", "CM", "F", "S", "OS:3/4"])),
    st.data(),
)
def test_no_multipliers_and_no_prices_prove_too_much(shape, properties, data):
    """Whatever integers are put into the kernel, what comes out is never more than the optimum."""
    model = {
        "count": Model.count(3),
        "metric path": Model.metric([[0, 1, 3, 4], [1, 0, 2, 3], [3, 2, 0, 1], [4, 3, 1, 0]]),
        "ldp": Model.ldp(4),
        "band": Model.lldp(4, 2),
    }[shape]
    loss = Loss.from_matrix([[data.draw(st.integers(0, 4)) for _ in range(4)] for _ in range(4)])
    problem = DesignProblem(model=model, alpha="2/3", properties=properties, loss=loss)
    place = st.integers(0, 3)
    kinds = ["DP", *(name.partition(":")[0] for name in properties - {"S"})]
    drawn = data.draw(st.lists(st.tuples(st.sampled_from(kinds), *[place] * 4, st.integers(-1, 6)), max_size=30))
    cost, denominator = kernel.expected_cost(*problem.loss.integers(4), [1] * 4, 4)
    graph, alpha = problem.graph, (2, 3)
    rows = []
    for row in drawn:
        try:
            kernel.dual_bound(cost, denominator, alpha, graph.edges, problem.properties, [row], 4)
        except ValueError:
            continue
        rows.append(row)
    optimum = design(problem).score
    prices = data.draw(st.lists(st.integers(-9, 9), min_size=4, max_size=4))
    for chosen in [None] if shape == "band" else [None, prices]:
        found = kernel.dual_bound(cost, denominator, alpha, graph.edges, problem.properties, rows, 4, chosen)
        assert Fraction(*found) <= optimum


def test_a_prior_must_be_a_probability_vector():
    for weights in ([1, 1, 1], [3, -1, 2], [2, 2, 0.0]):
        with refused(ValueError):
            kernel.expected_cost(COST, 1, weights, 4)
    assert kernel.expected_cost(COST, 1, [1, 0, 3], 4) == ([[0, 0, 3], [1, 0, 3], [1, 0, 0]], 4)


def test_the_proof_of_a_worst_case_brings_its_prior():
    worst = DesignProblem(4, "2/3", loss="L1", aggregate="worst")
    result = design(worst)
    assert sum(result.certificate["prior"]) == 1
    assert proved_loss(worst, result.certificate) == result.lower_bound
    with refused(ValueError):
        proved_loss(
            worst,
            dual_certificate(result.certificate["rows"], result.certificate.scale, result.certificate.get("prices")),
        )
    with refused(ValueError):
        proved_loss(DesignProblem(4, "2/3", loss="L1"), result.certificate)
    with refused(ValueError):
        proved_loss(worst, result.certificate.changed(prior=(Fraction(1),)))


def test_the_worst_case_of_a_matrix():
    assert kernel.worst_case([[3, 1, 0], [0, 2, 1], [1, 1, 3]], 4, COST, 1) == (2, 4)


def test_edges_of_any_length():
    weights = [[9, 4, 1], [1, 6, 9]]
    square = [[9, 3, 1], [1, 3, 9], [2, 6, 2]]
    assert not list(kernel.privacy_defects(weights, (1, 3), [(0, 2, 2)]))
    assert list(kernel.privacy_defects(weights, (1, 3), [(0, 1, 1)]))
    assert list(kernel.privacy_defects(square, (1, 3), [(0, 2, 1)]))
    assert list(kernel.privacy_defects(square, (1, 3), [(0, 2, 0)])) == [
        "an edge does not have a positive integer length"
    ]


def test_privacy_over_all_pairs():
    assert not list(kernel.privacy_defects([[2, 3, 4], [4, 3, 2]], (1, 2), None))
    assert list(kernel.privacy_defects([[4, 3, 4], [2, 5, 2]], (1, 2), None)) == [
        "output 1 distinguishes inputs 0 and 1 by more than alpha allows"
    ]


def test_smoothness_is_checked_both_ways():
    assert not list(kernel.property_defects("OS:1/2", [[2, 4], [4, 2]], 6))
    assert list(kernel.property_defects("OS:2/3", [[2, 4], [4, 2]], 6)) == ["property OS:2/3 does not hold"]
    assert list(kernel.property_defects("OS:2/3", [[4, 3], [2, 3]], 6)) == ["property OS:2/3 does not hold"]
    assert list(kernel.property_defects("OS:3/2", [[2, 4], [4, 2]], 6)) == ["OS:3/2 has no beta in (0, 1]"]


def test_the_kernel_recomputes_the_designs_bound():
    assert PROBLEM.rescaling * proved_loss(PROBLEM, DESIGN.certificate) == DESIGN.score == DESIGN.lower_bound


def test_a_changed_multiplier_changes_or_voids_the_bound():
    """At an exact optimum no multiplier can be changed by a noticeable amount without losing the proof."""
    proof = DESIGN.certificate
    for j in range(6):
        for by in (-1, 1):
            prices = [y + (k == j) * by for k, y in enumerate(proof["prices"])]
            assert proved_loss(PROBLEM, proof.changed(prices=tuple(prices))) < proved_loss(PROBLEM, proof)
    for k, (kind, i, j, m, h, value) in enumerate(proof["rows"]):
        worse = list(proof["rows"])
        worse[k] = (kind, i, j, m, h, value * 2 + proof.scale)
        assert proved_loss(PROBLEM, proof.changed(rows=tuple(worse))) < proved_loss(PROBLEM, proof)


def test_edges_may_be_read_once_only():
    weights = [[1, 1, 1], [0, 9, 1], [9, 0, 8]]
    assert list(kernel.defects(weights, 10, (1, 2), iter(PATH), []))


@pytest.mark.parametrize(
    "name", ["OS", "F:2", "FE:1", "XY", "", "OS:0", "OS:2", "OS:-1/2", "WH:0", "WH:", "WH:1/0", "S:"]
)
def test_the_kernel_refuses_names_that_are_no_properties(name):
    found = list(kernel.defects([[1, 1], [1, 1]], 2, (1, 2), None, [name]))
    assert len(found) == 1
    assert "not a" in found[0] or "no beta" in found[0]
    rows = [(name.partition(":")[0] or "F", 0, 0, 0, 0, 1)]
    with refused(ValueError):
        kernel.dual_bound([[0, 1], [1, 0]], 1, (1, 2), [(0, 1, 1)], [name], rows, 1)
