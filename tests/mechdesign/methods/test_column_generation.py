"""Column generation: pricing by brute force, folding, and the master in floats against the master in rationals."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from mechdesign import DesignProblem, Loss, Mechanism, Model, Prior, design
from mechdesign.certificate.proof import proved_loss
from mechdesign.certificate.score import problem_loss
from mechdesign.designs import require_sound
from mechdesign.methods.column_generation import generate as generation
from mechdesign.methods.column_generation.certify import full_matrix, proof_of
from mechdesign.methods.column_generation.exact import ExactMaster, exactly_broken_pairs, solve_basis
from mechdesign.methods.column_generation.frame import Frame
from mechdesign.methods.column_generation.generate import first_patterns, generate
from mechdesign.methods.column_generation.master import Master
from mechdesign.methods.column_generation.pricing import Pattern, best_pattern, best_patterns
from mechdesign.methods.column_generation.rows import MasterRow
from mechdesign.program.clock import Clock
from mechdesign.verify import kernel

N, ALPHA = 6, Fraction(2, 3)
WALK = Model.metric([[abs(a - b) for b in (0, 1, 3, 4, 7, 8, 10)] for a in (0, 1, 3, 4, 7, 8, 10)])


def all_patterns(row, steps, monotone):
    """Every extreme pattern: at each step away from `row` a factor alpha^d down, or up (monotone: flat)."""
    for choice in itertools.product([True, False], repeat=len(steps)):
        exponents = [0] * (len(steps) + 1)
        for j in range(row + 1, len(exponents)):
            d = steps[j - 1]
            exponents[j] = exponents[j - 1] + (d if choice[j - 1] else 0 if monotone else -d)
        for j in range(row - 1, -1, -1):
            d = steps[j]
            exponents[j] = exponents[j + 1] + (d if choice[j] else 0 if monotone else -d)
        lowest = min(exponents)
        yield tuple(e - lowest for e in exponents)


@settings(max_examples=30)
@given(
    st.integers(0, N),
    st.lists(st.integers(-9, 9), min_size=N + 1, max_size=N + 1),
    st.sampled_from([Model.count(N), WALK]),
    st.booleans(),
)
def test_pricing_finds_the_best_of_all_patterns(row, costs, model, monotone):
    properties = "RM" if monotone else "none"
    frame = Frame(DesignProblem(model=model, alpha=ALPHA, properties=properties), folded=False)
    patterns = list(all_patterns(row, frame.steps, monotone))
    assert len(set(patterns)) == 2**N

    def at_the_row(exponents):  # scaled to 1 at the row: the walk minimises this
        return sum(c * ALPHA ** (e - exponents[row]) for c, e in zip(costs, exponents, strict=True))

    least = min(map(at_the_row, patterns))
    value, pattern = best_pattern(frame, row, [fmpq(c) for c in costs])
    assert at_the_row(pattern.exponents) == least
    assert Fraction(int(value.p), int(value.q)) == least * ALPHA ** pattern.exponents[row]
    reduced = np.zeros((N + 1, N + 1))
    reduced[row] = costs
    values, exponents = best_patterns(frame, reduced)
    found = tuple(exponents[row].tolist())
    assert min(found) == 0
    assert float(at_the_row(found)) == pytest.approx(float(least), abs=1e-9)
    assert values[row] == pytest.approx(float(at_the_row(found) * ALPHA ** found[row]), abs=1e-9)
    powers = {d: (2**d, 3**d) for d in range(1, 11)}
    assert Fraction(*kernel._cheapest(costs, row, frame.steps, powers, monotone)) == least


@settings(max_examples=30)
@given(st.integers(0, 4), st.lists(st.integers(-9, 9), min_size=5, max_size=5), st.booleans())
def test_the_kernel_prices_rows_of_complete_graphs(row, costs, monotone):
    """Extreme rows have entries alpha or 1; monotone ones are 1 on an interval around their row."""
    shapes = [
        shape
        for shape in itertools.product([1, ALPHA], repeat=5)
        if not monotone
        or (shape[row] == 1 and all(shape[k] <= shape[k + (1 if k < row else -1)] for k in range(5) if k != row))
    ]
    best = min(sum(c * x for c, x in zip(costs, shape, strict=True)) for shape in shapes)
    assert Fraction(*kernel._cheapest(costs, row, None, {1: (2, 3)}, monotone)) == best


PROBLEMS = [
    DesignProblem(n, "3/4", properties=properties, loss=loss, aggregate=aggregate)
    for n in (5, 6)
    for properties, loss, aggregate in (
        ("none", "L1", "expected"),
        ("WH,RH", "L2", "expected"),
        ("F", "L1", "expected"),
        ("F,WH", "L2", "worst"),
        ("RH", "L1", "worst"),
    )
] + [DesignProblem(model=WALK, alpha="3/4", properties="WH,RH", loss="L1", aggregate="worst")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("problem", "folded"),
    [(problem, folded) for problem in PROBLEMS for folded in (False, True) if problem.symmetry_is_free or not folded],
)
def test_the_master_in_floats_is_the_master_in_rationals(problem, folded):
    frame = Frame(problem, folded)
    master = Master(frame, cost_unit=2.0)
    chance = np.random.default_rng(0)
    last = frame.size - 1
    shapes = [
        p for i in range(frame.kept) for p in itertools.islice(all_patterns(i, frame.steps, frame.is_monotone), 20)
    ]
    master.add(first_patterns(frame) + [Pattern(i % frame.kept, shape) for i, shape in enumerate(shapes)])
    if frame.pair_properties:
        places = [(0, last), (1, 0), (frame.kept - 1, 0)]
        master.add_pairs([MasterRow("pair", i, Fraction(0), i, "RH", k=j) for i, j in places])
        master.add([Pattern(frame.kept - 1, shapes[3])])
    exact = ExactMaster(frame, tuple(master.rows))
    model = master.highs.getLp()
    table = np.zeros((len(master.rows), len(master.columns)))
    starts, index, value = model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_
    for c in range(len(master.columns)):
        table[index[starts[c] : starts[c + 1]], c] = value[starts[c] : starts[c + 1]]
    for c, column in enumerate(master.columns):
        expected = np.zeros(len(master.rows))
        for k, entry in exact.entries(column).items():
            expected[k] = int(entry.p) / int(entry.q)
        assert np.allclose(table[:, c], expected, atol=1e-12)
        cost = exact.cost(column)
        assert model.col_cost_[c] * 2.0 == pytest.approx(int(cost.p) / int(cost.q), abs=1e-12)
    duals = chance.integers(-5, 6, len(master.rows))
    reduced = master.reduced(duals.astype(float))
    for i in range(frame.kept):
        row = exact.reduced(i, [fmpq(int(y)) * 2 for y in duals])
        assert np.allclose(reduced[i] * 2.0, [int(x.p) / int(x.q) for x in row], atol=1e-12)
        for shape in itertools.islice(all_patterns(i, frame.steps, frame.is_monotone), 5):
            priced = sum((x * exact.powers[e] for x, e in zip(row, shape, strict=True)), fmpq(0))
            assert priced == exact.reduced_cost(Pattern(i, shape), [fmpq(int(y)) * 2 for y in duals])


@pytest.mark.parametrize("problem", PROBLEMS, ids=DesignProblem.describe)
def test_folding_changes_no_score(monkeypatch, problem):
    scores = set()
    for folded in (False, True) if problem.symmetry_is_free else (False,):
        monkeypatch.setattr(Frame, "of", classmethod(lambda cls, problem, folded=folded: cls(problem, folded)))
        generated = generate(problem, Clock(None))
        assert generated.is_exact
        mechanism = Mechanism.from_fractions(full_matrix(generated))
        require_sound(problem, mechanism)
        value = problem_loss(mechanism.weights, mechanism.denominator, problem)
        assert proved_loss(problem, proof_of(generated, rounded=False)) == value
        rounded = proved_loss(problem, proof_of(generated, rounded=True))
        assert value * (1 - Fraction(1, 10**50)) < rounded <= value
        scores.add(value)
    assert len(scores) == 1


def test_refinement_mends_what_floating_point_calls_optimal(monkeypatch):
    """With a coarse price tolerance the first basis is not optimal: the magnified rounds must find that out."""
    problem = DesignProblem(16, "9/10", properties="F", loss="L2")
    truth = design(problem, method="full").score
    monkeypatch.setattr(generation, "PRICE_TOLERANCE", 0.1)
    generated = generate(problem, Clock(None))
    assert "refinement rounds" in generated.how
    assert generated.is_exact
    assert problem_loss(*_weights(generated), problem) == truth


def _weights(generated):
    mechanism = Mechanism.from_fractions(full_matrix(generated))
    return mechanism.weights, mechanism.denominator


def test_refinement_magnifies_in_full():
    """The first basis is wrong by 4e-20 in one price: a magnification that stops at 1e6 never sees it."""
    rows = [
        [-2, 0, 4, -3, 2, -1, 9],
        [-1, 2, 7, 4, 2, 3, -1],
        [5, 0, 9, 3, 3, 7, 4],
        [5, -1, 5, 9, 1, 4, 5],
        [1, -3, 6, 8, 0, 8, 3],
        [6, 1, 4, 1, -2, -2, 7],
        [-1, 2, 7, 4, 2, 3, -1],
    ]
    generated = generate(DesignProblem(6, "1/20", loss=Loss.from_matrix(rows), aggregate="worst"), Clock(None))
    assert (generated.is_exact, "refinement rounds" in generated.how) == (True, True)


def test_what_is_wrong_with_a_basis_is_seen():
    problem = DesignProblem(4, "3/4", properties="RH", loss="L1")
    frame = Frame(problem, folded=False)
    master = Master(frame, 1.0)
    master.add(first_patterns(frame))
    assert master.solve(None) == "Optimal"
    exact = ExactMaster(frame, tuple(master.rows))
    basic, tight = generation._basis(master.highs)
    sound = solve_basis(exact, master.columns, basic, tight)
    assert not generation._is_wrong(master, exact, sound, tight)
    negative = replace(sound, weights={c: -weight for c, weight in sound.weights.items()})
    assert generation._is_wrong(master, exact, negative, tight)
    assert generation._is_wrong(master, exact, replace(sound, weights={basic[0]: fmpq(1)}), tight[1:])
    matrix = [[fmpq(1)] * 5 for _ in range(5)]
    assert exactly_broken_pairs(frame, matrix) == []
    matrix[3][1] = fmpq(2)
    assert exactly_broken_pairs(frame, matrix) == [MasterRow("pair", 3, Fraction(0), 3, "RH", k=1)]


@pytest.mark.slow
@pytest.mark.parametrize("properties", ["none", "WH,RH", "F"])
def test_a_basis_that_is_not_optimal_still_proves_a_bound(monkeypatch, properties):
    problem = DesignProblem(16, "9/10", properties=properties, loss="L2")
    optimum = design(problem, method="full").score
    monkeypatch.setattr(generation, "PRICE_TOLERANCE", 0.1)
    monkeypatch.setattr(generation, "MAX_REFINEMENTS", 0)
    generated = generate(problem, Clock(None))
    assert not generated.is_exact
    bound = proved_loss(problem, proof_of(generated, rounded=True))
    assert 0.2 * float(optimum) < float(bound) < float(optimum)


@pytest.mark.slow
@settings(max_examples=30)
@given(st.lists(st.integers(1, 9), min_size=8, max_size=8), st.sampled_from(["WH", "RH", "RM", "F", "S", "WH,S"]))
def test_any_prior(weights, properties):
    prior = Prior.from_weights([Fraction(w, sum(weights)) for w in weights])
    problem = DesignProblem(7, "4/5", properties=properties, loss="L1", prior=prior)
    generated = generate(problem, Clock(None))
    assert generated.is_exact
    assert problem_loss(*_weights(generated), problem) == design(problem, method="full").score
