"""Formulas for groups of every size agree with laws found afresh, the kernel of laws, and formulas of one size."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import lcm

import pytest
from flint import fmpq
from wording import refused

from mechdesign import InputError, LimitReachedError, design_law, formula, law_formula
from mechdesign.formulas.any_size.formula import LawFormula
from mechdesign.formulas.any_size.pieces import LawPart, law_around, walked
from mechdesign.formulas.ends import end_at
from mechdesign.formulas.interval import interval_around
from mechdesign.formulas.pieces import RationalFunction
from mechdesign.formulas.polynomials import ONE
from mechdesign.formulas.roots import Roots
from mechdesign.formulas.vertex import Vertex
from mechdesign.laws.problem import LawProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.privacy import Privacy
from mechdesign.program.clock import Clock
from mechdesign.verify.layer_duals import LayerDual, dual_excess
from mechdesign.verify.layers import Layer, layer_defects, layer_excess

NEAR = Fraction(1, 10**7)

GAINS = {  # (1 - a) numerator / (denominator (1 + a)), lowest power first, as the conjecture had them
    "11/20": ((-1, 2), (0, 1)),
    "17/25": ((-3, 5), (0, 1)),
    "7/10": ((-4, -11, 31, -4), (0, 0, 6)),
    "19/25": ((-2, -10, 20), (0, 0, 3)),
    "39/50": ((-5, -14, -18, 74, -5), (0, 0, 0, 10)),
}


@pytest.fixture(scope="module")
def monotone() -> LawFormula:
    return law_formula("WH,RM,CM")


def inside(part: LawPart) -> Iterator[Fraction]:
    """Yield alphas of a part, two of them next to its ends."""
    low, high = part.start.between[1], part.end.between[0]
    yield from (low + NEAR, high - NEAR)
    yield from ((low + (high - low) * Fraction(k, 5)).limit_denominator(10**6) for k in (1, 2, 3, 4))


def whole(values: list[Fraction]) -> tuple[list[int], int]:
    unit = lcm(*(value.denominator for value in values))
    return [int(value * unit) for value in values], unit


def faults(part: LawPart, alpha: Fraction, properties: frozenset[str]) -> list[str]:
    """Put a part's layer and prices at an alpha before the kernel of laws; say what it refuses."""
    b = len(part.law.layer)
    table, unit = whole([x for row in part.law.layer_at(alpha) for x in row])
    layer = Layer(alpha, b, unit, tuple(tuple(table[i * b : (i + 1) * b]) for i in range(b)))
    found = list(layer_defects(layer, properties, part.law.least))
    rows = part.law.multipliers_at(alpha)
    numbers, unit = whole([*part.law.prices_at(alpha), *(row[-1] for row in rows)])
    size = len(part.law.prices)
    multipliers = tuple((*row[:5], m) for row, m in zip(rows, numbers[size:], strict=True) if m)
    dual = LayerDual(alpha, size, unit, tuple(numbers[:size]), multipliers)
    try:
        bound, _ = dual_excess(dual, 0, properties)
    except ValueError as error:
        return [*found, str(error)]
    return found if bound == layer_excess(layer, 0)[0] else [*found, "excess"]


def test_laws_found_afresh_have_its_g(monotone: LawFormula) -> None:
    places = [alpha for piece in monotone.pieces[1:] for part in piece.parts for alpha in list(inside(part))[:4]]
    assert len(places) >= 50
    for alpha in places:
        law = design_law(alpha=alpha, properties="WH,CM")  # it costs as much
        assert 2 * law.excess[0] + 2 * alpha / (1 + alpha) == monotone.gain(alpha)


def test_the_kernel_of_laws_proves_each_part_and_refuses_it_beyond_its_ends(monotone: LawFormula) -> None:
    properties = frozenset({"RM", "CM"})  # with CM every matrix has WH
    parts = [part for piece in monotone.pieces for part in piece.parts]
    refusals = 0
    for part in parts:
        assert [faults(part, alpha, properties) for alpha in inside(part)] == [[]] * 6
        beyond = [part.start.between[0] - NEAR, part.end.between[1] + NEAR]
        refusals += sum(bool(faults(part, alpha, properties)) for alpha in beyond if alpha > 0)
    assert refusals == 2 * len(parts) - 1


def test_prices_alone_are_proved_just_as_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers end first wherever both are asked; here prices are asked alone."""
    monkeypatch.setattr(Vertex, "feasibility", lambda self: iter(()))
    problem = LawProblem(Privacy("83/100"), frozenset({"CM"}), Loss.parse("L0"))
    found = law_around(problem, Roots(), Clock(None))
    assert found is not None
    start, end = map(end_at, found.interval)
    assert (round(start.value, 5), round(end.value, 5)) == (0.64447, 0.83424)
    part = LawPart(start, end, found.law)
    for alpha, is_proof in (
        (start.between[0] - NEAR, False),
        (start.between[1] + NEAR, True),
        (end.between[0] - NEAR, True),
        (end.between[1] + NEAR, False),
    ):
        found_faults = " ".join(faults(part, alpha, problem.properties))
        assert is_proof != ("condition" in found_faults or "multiplier" in found_faults)


def test_a_walk_goes_on_by_its_sign() -> None:
    prices = [3 * ONE, -4 * ONE]  # 3/2 and -2: the steps are -1/2 and 3 - 1/(2a), of which the last is at least 1/(1+a)
    signs = list(walked(prices, 2 * ONE, fmpq(1, 2)))
    interval = interval_around(fmpq(1, 2), signs, Roots())
    assert interval is not None
    assert [end_at(root).polynomial for root in interval] == [(-1, 3, 6), (-1, 1)]


def test_parts_leave_no_gap(monotone: LawFormula) -> None:
    ends = [(part.start, part.end) for piece in monotone.pieces for part in piece.parts]
    assert [end for _, end in ends[:-1]] == [start for start, _ in ends[1:]]
    assert (ends[0][0].exact, ends[-1][1].exact) == (0, Fraction(4, 5))
    assert [piece.end for piece in monotone.pieces[:-1]] == [piece.start for piece in monotone.pieces[1:]]
    gains = [piece.gain for piece in monotone.pieces]
    assert all(one != other for one, other in pairwise(gains))


def test_formulas_of_single_sizes_are_the_same(monotone: LawFormula) -> None:
    found = formula(n=9, properties="WH,RM,CM")
    for k in range(1, 31):
        alpha = Fraction(k, 40) + Fraction(1, 1009)
        if monotone.piece(alpha).least <= 9:
            assert monotone.score(alpha, 9) == found.score(alpha)
    assert monotone.piece("3/4").least <= 9


def test_g_is_what_was_conjectured(monotone: LawFormula) -> None:
    for at, (top, bottom) in GAINS.items():
        gain = monotone.piece(at).gain
        for k in range(1, 30):  # more points than the degrees together
            alpha = Fraction(k, 31)
            wanted = RationalFunction(top, bottom)(alpha) * (1 - alpha) / (1 + alpha)
            assert gain(alpha) == wanted


def test_an_alpha_that_is_an_end_has_both_pieces() -> None:
    below, above = law_formula("CM", at=["2/3"]).pieces
    assert below.end == above.start
    assert (below.start.exact, below.end.exact, above.end.polynomial) == (Fraction(1, 2), Fraction(2, 3), (-4, 3, 4))
    assert below.gain(Fraction(2, 3)) == above.gain(Fraction(2, 3))
    (only,) = law_formula("CM", at=["3/5", "0.65"]).pieces
    assert only == below


def test_without_columns_it_is_the_geometric_mechanism() -> None:
    (only,) = law_formula("RM", to="9/10").pieces
    assert (only.least, only.gain.numerator) == (1, ())


def test_what_it_does_not_serve_is_refused() -> None:
    for properties, to, at in (
        ("F", None, []),
        ("WH", None, []),
        ("", "2", []),
        ("", None, ["0"]),
        ("", "1/2", ["1/3"]),
    ):
        with refused(InputError):
            law_formula(properties, to=to, at=at)
    found = law_formula("CM", to="3/5")
    for alpha, n in (("7/10", 100), ("11/20", 3)):
        with refused(InputError):
            found.score(alpha, n)
    with pytest.raises(LimitReachedError):
        law_formula("CM", time_limit=1e-9)
