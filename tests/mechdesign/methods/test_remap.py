"""The best relabelling of the geometric mechanism at one end, against a search of answers, LPs and matrices."""

import tracemalloc
from dataclasses import replace
from fractions import Fraction

import pytest
from wording import refused

from mechdesign.designs import design
from mechdesign.documents.document import design_document, document_text
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.stored import read_document
from mechdesign.errors import InputError
from mechdesign.laws.finding import design_law
from mechdesign.mechanism.layered import LayeredMechanism
from mechdesign.methods.layers.half_line import Geometric
from mechdesign.methods.layers.remap import best_remap, remap_prices
from mechdesign.methods.layers.search import HalfLine, search
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.properties import find_property
from mechdesign.program.clock import Clock
from mechdesign.verify.layer_duals import bound_sum

ALPHAS = ("27634/75117", "1/2", "3/5", "4/5", "9/10")
FAR = 600


def regrets(line: Geometric, y: int) -> list[Fraction]:
    """What each answer to the output y loses, summed over enough true counts."""
    p, q = line.alpha.as_integer_ratio()
    weights = [p ** abs(y - j) * q ** (FAR - abs(y - j)) for j in range(FAR)]
    totals = (sum(w * int(line.loss(i, j)) for j, w in enumerate(weights)) for i in range(y, y + 40))
    return [Fraction(total, q**FAR) for total in totals]


@pytest.mark.parametrize("alpha", ["1/2", "4/5", "9/10"])
@pytest.mark.parametrize("power", [1, 2])
def test_each_answer_is_the_best(alpha, power):
    line = Geometric(Fraction(alpha), power)
    remap = best_remap(line, 512)
    for y in range(0, len(remap) + 4, 3):
        losses = list(map(float, regrets(line, y)))
        answer = remap[y] if y < len(remap) else y
        assert losses[answer - y] == pytest.approx(min(losses), rel=1e-12)


@pytest.mark.parametrize("alpha", ALPHAS[:-1])
@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("properties", [(), ("WH",)])
def test_a_linear_program_finds_no_better_layer(alpha, power, properties):
    line = Geometric(Fraction(alpha), power)
    half = HalfLine(line, tuple(map(find_property, properties)), Clock(None), 100)
    layer, prices, slopes = search(half, lambda _: True)
    law = design_law(alpha=alpha, properties=properties, loss=f"L{power}")
    assert law.excess[0] == layer.excess == law.bound_excess[0]
    assert law.excess[1] == prices.floor_weight == law.bound_excess[1]
    assert law.mechanism.depth <= layer.depth
    assert (slopes is None) == (law.mechanism.slopes is None)


@pytest.mark.parametrize("alpha", ALPHAS[:-1])
@pytest.mark.parametrize("properties", ["none", "WH"])
@pytest.mark.parametrize("loss", ["L1", "L2"])
def test_no_matrix_is_better_where_the_ends_are_far_apart(alpha, properties, loss):
    law = design_law(alpha=alpha, properties=properties, loss=loss)
    n = max(2 * law.least, 30)
    best = design(DesignProblem(n, alpha, properties=properties, loss=loss))
    assert law.lower_bound(n) <= best.score <= law.score(n)[1]
    assert float(law.score(n)[1] / best.score - 1) <= 1e-5


@pytest.mark.parametrize("properties", ["none", "WH,S,FE"])
@pytest.mark.parametrize("asked", [{"alpha": "4/5"}, {"epsilon": "0.2"}])
def test_its_document_holds_the_answers(properties, asked):
    law = design_law(properties=properties, loss="L1", **asked)
    document = design_document(law, 400)
    assert document["mechanism"] == {"kind": "layer", "remap": list(law.mechanism.remap)}
    stored = read_document(parse_json(document_text(document), "a test"), "a test")
    assert all(claim.true for claim in stored.claims), [c for c in stored.claims if not c.true]
    assert stored.law.mechanism == law.mechanism


@pytest.mark.parametrize("change", [{0: 4}, {0: 2}, {3: 3}, {7: 6}, {5: 0}])
@pytest.mark.parametrize("properties", ["none", "WH"])
def test_other_answers_are_private_and_no_optimum(change, properties):
    law = design_law(alpha="4/5", properties=properties, loss="L1")
    document = design_document(law)
    for y, answer in change.items():
        document["mechanism"]["remap"][y] = answer
    claims = read_document(parse_json(document_text(document), "a test"), "a test").claims
    assert [claim.true for claim in claims if "excess of the layer" in claim.claim] == [False]
    assert [claim.true for claim in claims if "private" in claim.claim] == [True] or properties == "WH"


@pytest.mark.parametrize("remap", [[], [1], [0, 2], [0, -1], ["0"], 3, [0] * 513, {"0": 0}])
def test_what_is_no_remap_is_unreadable(remap):
    document = design_document(design_law(alpha="4/5", loss="L1"))
    document["mechanism"]["remap"] = remap
    with pytest.raises(InputError):
        read_document(parse_json(document_text(document), "a test"), "a test")


@pytest.mark.slow
@pytest.mark.parametrize("properties", [[], ["WH"]])
def test_a_small_file_takes_little_memory_to_check(properties):
    """Its tables would have 50 MB: rows are computed when they are asked for."""
    document = design_document(design_law(alpha="4/5", properties=properties, loss="L1"), 400)
    b, alpha = 80, Fraction(2**64 - 2**60, 2**64 - 1)
    document["problem"] |= {"alpha": str(alpha), "n": {"from": 2 * b - 1}}
    document["mechanism"]["remap"] = [b - 1] * b
    data = parse_json(document_text(document), "a test")
    tracemalloc.start()
    stored = read_document(data, "a test")
    claims = stored.claims
    assert stored.law.mechanism.sums_to_one
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [claim.true for claim in claims if "private" in claim.claim] == [not properties]
    assert peak < 6e6


def test_it_is_the_layer_that_replaces_outputs():
    a = Fraction(2, 3)
    mechanism = LayeredMechanism.remapped(a, (1, 2, 2))
    matrix = mechanism.at(9)
    for j in range(10):
        row = [a**j / (1 + a), *(a ** abs(y - j) * (1 - a) / (1 + a) for y in (1, 2))]
        assert [matrix.fraction(i, j) for i in range(3)] == [0, row[0], row[1] + row[2]]
    assert mechanism.sums_to_one


@pytest.mark.parametrize("n", [19, 40])
def test_with_a_floor_output_0_gives_what_others_need(n):
    a, remap = Fraction(4, 5), (3, 3, 3, 4, 5, 6, 7, 7)
    matrix, plain = LayeredMechanism.remapped(a, remap, True).at(n), LayeredMechanism.remapped(a, remap).at(n)
    for j in range(n + 1):
        moved = [a ** (j - i) / (n + 1) for i in range(3)]
        assert [matrix.fraction(i, j) for i in range(3)] == moved
        assert matrix.fraction(3, j) == plain.fraction(3, j) - sum(moved)
        assert [matrix.fraction(i, j) for i in (4, 8)] == [plain.fraction(i, j) for i in (4, 8)]


@pytest.mark.parametrize("properties", ["none", "WH"])
@pytest.mark.parametrize("loss", ["L1", "L2"])
def test_no_other_column_to_lower_gives_a_higher_bound(properties, loss):
    law = design_law(alpha="4/5", properties=properties, loss=loss)
    n, names = law.least + 2 * law.dual.depth, law.problem.properties
    duals = [replace(law.dual, lowered=column) for column in range(law.dual.depth + 1)]
    assert max(bound_sum(dual, law.problem.power, names, n) for dual in duals) == law.lower_bound(n) * (n + 1)


def test_deeper_ones_are_refused():
    assert best_remap(Geometric(Fraction(99, 100), 1), 64) is None
    with refused(InputError):
        design_law(alpha="0.999", loss="L2", properties="WH")


def test_at_19_20_prices_are_few_and_short():
    line = Geometric(Fraction(19, 20), 2)
    remap = best_remap(line, 512)
    assert len(remap) == len(remap_prices(line, remap)) == 93
    assert len(document_text(design_document(design_law(alpha="19/20", loss="L2")))) < 15_000
