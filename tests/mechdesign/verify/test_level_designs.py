"""Designs of levels: the checker's circle against reports that are listed and dense matrices; forgeries; mutants."""

import copy
import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from mutants import each_noticed
from two_checkers import FALSE, PROVED, UNREADABLE, by_program

from mechdesign.documents.document import design_document, document_text
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.verify import circles, lines, prefix_bound
from mechdesign.verify.level_design import read_level_design
from mechdesign.verify.texts import parse_json
from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign_catalog.decoders.circles import circle
from mechdesign_catalog.decoders.lines.warp import Warp
from mechdesign_catalog.systems.designs.level_design import design_levels
from mechdesign_catalog.systems.flat.subset import SubsetSelection
from mechdesign_catalog.systems.levels import blocks_plan
from mechdesign_catalog.systems.levels.masked_blocks import MaskedBlocks
from mechdesign_catalog.systems.levels.rotated_cells import RotatedCells

WORKLOADS = {"ranges": Ranges, "circular": Arcs, "prefixes": Prefixes}
CIRCLES = ("ranges", "circular")


@pytest.mark.parametrize("n", [2, 3, 8, 97, 1000, 1 << 14])
def test_sines_lie_where_they_are_said_to(n):
    sines = circles.Sines(n)
    with ctx.workprec(300):
        for j, middle in enumerate(sines.middle):
            true = (arb(j) / n).sin_pi() * arb(2) ** circles.BITS
            assert abs(true - middle) < circles.ULPS
            low, high = (side[j] for side in sines.squares)
            assert low <= true**2 / arb(2) ** circles.BITS <= high
        assert circles.pi_below(200) == int((arb.pi() * arb(2) ** 200).floor().unique_fmpz())


@pytest.mark.parametrize("k", [4, 5, 24, 97, 256])
@pytest.mark.parametrize("name", WORKLOADS)
def test_the_floor_is_that_of_the_dense_matrix(name, k):
    alpha = Fraction(2, 7)
    centre = np.eye(k) - 1 / k
    gram = np.array(WORKLOADS[name](k).gram(), dtype=float)
    roots = np.sqrt(np.linalg.eigvalsh(centre @ gram @ centre)[1:]).sum()
    entry, n = 1 / float(alpha), np.arange(1, k)
    most = (k * (entry - 1) ** 2 * n * (k - n) / (k + (entry - 1) * n) ** 2).max()
    constant = gram.sum() / k**2 - np.trace(gram) / k
    assert float(circles.variance_floor(name, k, alpha)) == pytest.approx(roots**2 / most + constant, rel=1e-9)


LEVELS = {
    (5, 6): [(3, MaskedBlocks, 6), (2, MaskedBlocks, 3), (1, RotatedCells, (3, 0b011))],
    (8, 8): [(1, MaskedBlocks, 8), (4, MaskedBlocks, 2), (2, RotatedCells, (8, 0b1011))],
    (5, 8): [(5, MaskedBlocks, 8), (1, RotatedCells, (8, 0b11011))],
    (8, 9): [(5, MaskedBlocks, 3), (1, RotatedCells, (9, 0b11011))],
    (7, 7): [(5, MaskedBlocks, 7), (3, MaskedBlocks, 4), (1, RotatedCells, (3, 0b101)), (2, RotatedCells, (3, 0b001))],
    (7, 8): [(5, MaskedBlocks, 8), (3, MaskedBlocks, 3), (1, RotatedCells, (6, 0b001011))],
    (6, 6): [(1, MaskedBlocks, blocks) for blocks in (2, 3, 6)],
}


@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(1, 5)])
@pytest.mark.parametrize("sizes", LEVELS)
@pytest.mark.parametrize("name", CIRCLES)
def test_the_variance_is_that_of_all_reports(name, sizes, alpha):
    """The score of each report, from its law and dense matrices; with padding what is said is only above it."""
    (k, places), privacy = sizes, Privacy(alpha=alpha)
    levels, oracles = [], []
    for weight, kind, how in LEVELS[sizes]:
        if kind is MaskedBlocks:
            oracle = MaskedBlocks(places, privacy, pieces=how)
            levels.append(circles.block_level(alpha, weight, places, how, oracle.bucket_bits, oracle.below))
        else:
            cells, row = how
            oracle = RotatedCells(places, privacy, cells=cells, row=row)
            levels.append(
                circles.cell_level(alpha, weight, places, tuple(bool(row >> cell & 1) for cell in range(cells)))
            )
        oracles.append((weight, oracle))
    variance = _listed(WORKLOADS[name](k), places, levels, oracles)
    above = float(circles.variance_above(name, circles.Circle(k, places), levels))
    assert above >= variance * (1 - 1e-12)
    is_exact = k == places and all(len(level.rows) == 1 for level in levels)
    assert above == pytest.approx(variance, rel=1e-11 if is_exact else 0.35)


@pytest.mark.parametrize("name", CIRCLES)
def test_a_wider_enclosure_of_sines_bounds_what_padding_adds_from_further_above(name, monkeypatch):
    """Chances are left as they are, so that only the direction of each quotient is looked at."""
    levels = [circles.block_level(Fraction(1, 2), 1, 9, 9, 2, 1)]
    told = circles._told(circles.Circle(8, 9), levels)
    monkeypatch.setattr(circles, "_told", lambda circle, of: told)
    narrow = circles.variance_above(name, circles.Circle(8, 9), levels)
    monkeypatch.setattr(circles, "ULPS", circles.ONE >> 20)
    assert narrow * (1 + Fraction(1, 10**9)) < circles.variance_above(name, circles.Circle(8, 9), levels)


def _listed(workload, places, levels, oracles):
    """The sum over the queries of the variance for a user, item by item, report by report."""
    k, total = workload.k, sum(weight for weight, _ in oracles)
    slope = np.arange(1, places - k + 1) / (places - k + 1)
    items = workload.queries().weights()
    weights = np.hstack([items, items[:, -1:] * (1 - slope) + items[:, :1] * slope])
    laws = []
    for (weight, oracle), level in zip(oracles, levels, strict=True):
        law = oracle.report_law()
        highest = max(chance for row in law.values() for chance in row)
        held = np.array([[float(chance == highest) for chance in row] for row in law.values()])
        chances = np.array([[float(chance) for chance in row] for row in law.values()])
        laws.append((weight / total, float(level.scale(places)), held, chances))
    told = sum(w * scale * held.T @ chances for w, scale, held, chances in laws)
    centre = np.eye(places) - 1 / places
    inverse = np.linalg.pinv(centre @ told @ centre)
    mean = weights.mean(axis=1, keepdims=True)
    answers, squares = np.zeros((len(weights), places)), np.zeros((len(weights), places))
    for w, scale, held, chances in laws:
        scores = scale * weights @ inverse @ held.T + mean
        answers += w * scores @ chances
        squares += w * scores**2 @ chances
    offset = answers[:, :k] - items
    np.testing.assert_allclose(offset, offset[:, :1] * np.ones(k), atol=1e-9)  # a constant: the users are known
    return ((squares - answers**2)[:, :k]).mean(axis=1).sum()


@pytest.mark.parametrize(("k", "blocks", "shifts"), [(5, 2, 4), (33, 7, 64), (97, 40, 3), (200, 199, 1)])
def test_the_cells_of_a_line_are_those_of_the_warp(k, blocks, shifts):
    warp = Warp.tied(k, blocks)
    level = lines.Partitions(1, blocks + 1, 1, blocks, shifts, warp.densities)
    assert [sorted({*row.tolist()}) for row in warp.edges(blocks, shifts)] == list(level.edges(k))


@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(1, 12)])
def test_the_variance_of_prefixes_is_bounded_by_the_reports(alpha):
    """The best answers of each user that the listed reports allow vary at most so, and hardly less."""
    k, privacy = 7, Privacy(alpha=alpha)
    levels, parts = [], []
    for weight, blocks, shifts, oracle in (
        (3, 2, 2, SubsetSelection(3, privacy, 1)),
        (2, 3, 3, SubsetSelection(4, privacy, 2)),
        (4, k, 1, MaskedBlocks(8, privacy, pieces=8)),
    ):
        densities = None if blocks == k else Warp.tied(k, blocks).densities
        held = oracle.size if blocks < k else 8 * oracle.below >> oracle.bucket_bits
        level = lines.Partitions(weight, oracle.k, held, blocks, shifts, densities)
        levels.append(level)
        chances = np.array([[float(chance) for chance in row] for row in oracle.report_law().values()])
        for edges in level.edges(k):
            cells = np.searchsorted(edges, np.arange(k), side="right") - 1
            parts.append((weight / 9 / shifts, chances[:, cells]))
    told = np.zeros((k, k))
    for share, law in parts:
        mean = law.mean(axis=1)
        keep = mean > 0
        told += share * (law[keep].T / mean[keep]) @ law[keep]
    centre = np.eye(k) - 1 / k
    inverse = np.linalg.pinv(centre @ told @ centre)
    items = Prefixes(k).queries().weights() @ centre
    best = np.trace(items @ inverse @ items.T) - (items**2).sum() / k
    above = float(lines.variance_above(k, alpha, levels))
    assert best <= above <= 1.01 * best


def test_the_rest_of_the_variance_of_sets_is_not_above_0():
    """The formula of the rest against the one in the proof, for all sets of up to 11 labels."""
    for labels, alpha in itertools.product(range(2, 12), (Fraction(1, 100), Fraction(1, 3), Fraction(9, 10))):
        for held in range(1, labels):
            p, q, r, s = circles.set_chances(alpha, labels, held)
            plain, own, pull = q - r, p - q + 2 * r - 2 * s, p - q
            rest = r * own**2 - 2 * (s - r) * plain * own - (q * own - pull * plain) ** 2
            if labels == 2:
                assert rest == 0
            elif labels == 2 * held:
                assert rest == -((pull * plain) ** 2) < 0
            else:
                y = Fraction(-held * (held - 1), (labels - 1) * (labels - 2 * held))
                assert rest == y * (1 - y) * own**2 <= 0


@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_resistances_are_bounded_from_above_with_whole_numbers(size):
    rng = np.random.default_rng(size)
    links = np.triu(rng.integers(0, 1 << 20, (size + 1, size + 1)) * (rng.random((size + 1, size + 1)) < 0.7), 1)
    links[0, 1:] += 1
    both = links + links.T
    laplacian = (np.diag(both.sum(axis=0)) - both)[1:, 1:]
    exact = np.trace(np.linalg.inv(laplacian.astype(float))) * 2.0**lines.BITS
    rows = [[int(links[0, i]), *map(int, links[i, i + 1 :])] for i in range(1, size + 1)]
    scaled = [[link << lines.BITS for link in row] for row in rows]
    found = lines._all_resistances(scaled) / 2.0**lines.BITS
    assert found == pytest.approx(exact / 2.0**lines.BITS, rel=1e-9)
    coarse = lines._all_resistances([[link << 4 for link in row] for row in rows])
    assert coarse >= exact * 2.0 ** (lines.BITS - 4) * (1 - 1e-9)


@pytest.mark.parametrize("k", [4, 5, 16, 33, 64])
@pytest.mark.parametrize("knots", ["equal", "rising", "steep"])
def test_multipliers_bound_prefixes_as_the_eigenvalues_do(k, knots):
    """The bound of a dense matrix, which the determinants never exceed, and nearly reach."""
    steps = {"equal": 0, "rising": 700, "steep": 6000}[knots]
    count = prefix_bound.knot_count(k)
    multipliers = prefix_bound.Multipliers(k, tuple(1000 + steps * (count - i) for i in range(count)))
    alpha = Fraction(2, 7)
    kappa = float((1 + alpha) ** 2 / (4 * alpha))
    v = np.array(multipliers.values(), dtype=float)
    v *= kappa / v.sum()
    items = Prefixes(k).queries().weights()
    centred = items - items.mean(axis=1, keepdims=True)
    inner = np.linalg.eigvalsh(centred @ (np.diag(v) - np.outer(v, v)) @ centred.T)
    constant = (k * k - 1) / (6 * k)
    found = float(prefix_bound.bound_by_multipliers(multipliers, alpha))
    if np.linalg.eigvalsh((np.eye(k) - 1 / k) @ (np.diag(v) - np.outer(v, v)) @ (np.eye(k) - 1 / k))[0] < -1e-9:
        assert found == 0
        return
    exact = np.sqrt(np.maximum(inner, 0)).sum() ** 2 / (kappa * (kappa - 1)) - constant
    assert exact * (1 - 3e-6) <= found <= exact


def test_multipliers_without_a_semidefinite_matrix_show_nothing():
    """One more at the ends, and an eigenvalue is below 0 by so little that no determinant shows it."""
    inner = (30_000_000, 10_000_000, 7_000_000, 6_000_000)
    good, bad = (prefix_bound.Multipliers(24, (at_ends, *inner)) for at_ends in (329_907_374, 329_907_375))
    assert prefix_bound.bound_by_multipliers(good, Fraction(1, 3)) > 55
    assert prefix_bound.bound_by_multipliers(bad, Fraction(1, 3)) == 0


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**9))
def test_logarithms_are_bounded_from_below(value):
    below = prefix_bound.log2_below(value)
    with ctx.workprec(200):
        true = (arb(value.numerator) / value.denominator).log() / arb(2).log()
        error = true - arb(below.numerator) / below.denominator
        assert -(2.0**-150) < error < 2.0**-60


def _padded(k, workload=Ranges, **asked):
    """A design on a circle with padding, at fewer items than such designs have."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(circle, "MOST_PADDING", 16)
        blocks_plan.optimal_levels.cache_clear()
        blocks_plan.row_squares.cache_clear()
        made = _designed(k, workload, **asked)
    blocks_plan.optimal_levels.cache_clear()
    blocks_plan.row_squares.cache_clear()
    assert made["places"] > k
    return made


def _designed(k, workload=Ranges, **asked):
    return json.loads(document_text(design_document(design_levels(WorkloadProblem(workload(k), **asked)))))


@pytest.fixture(scope="module")
def true():
    return {
        "even": _designed(16, alpha="1/3"),
        "arcs": _designed(24, Arcs, epsilon=1),
        "a size rounded up": _designed(14, epsilon=1),
        "uneven": _designed(37, epsilon=1),
        "padded": _padded(35, epsilon="1/2"),
        "padded arcs": _padded(73, Arcs, alpha="1/2"),
        "prefixes": _designed(24, Prefixes, alpha="1/3"),
        "prefixes by epsilon": _designed(13, Prefixes, epsilon=1),
        "prefixes by their eigenvalues": _designed(8, Prefixes, epsilon=3),
        "many prefixes": _designed(1025, Prefixes, epsilon=1),
    }


def _change(*keys, to):
    def changed(data):
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = to(data[keys[-1]]) if callable(to) else to

    return changed


def _tighter(share):
    """State a variance below what is shown, and the gap that belongs to it."""

    def changed(data):
        upper = Fraction(data["variance"]["upper"]["exact"]) * (1 - Fraction(share))
        data["variance"]["upper"] = {"exact": str(upper), "value": math.nextafter(float(upper), math.inf)}
        gap = upper / Fraction(data["variance"]["lower"]["exact"]) - 1
        data["gap"] = math.nextafter(float(gap), math.inf)

    return changed


def _higher(share):
    """State a bound above the floor, and the gap that belongs to it."""

    def changed(data):
        lower = Fraction(data["variance"]["lower"]["exact"]) * (1 + Fraction(share))
        data["variance"]["lower"] = {"exact": str(lower), "value": float(lower) * (1 - 1e-14)}
        gap = Fraction(data["variance"]["upper"]["exact"]) / lower - 1
        data["gap"] = float(gap) * (1 + 1e-13)

    return changed


FALSE_CLAIMS = {
    "a smaller variance": _tighter(1e-12),
    "a smaller variance in decimals": _change("variance", "upper", "value", to=lambda value: value * (1 - 1e-12)),
    "a larger variance in decimals": _change("variance", "upper", "value", to=lambda value: value * (1 + 1e-8)),
    "a status below what is proved": _change("status", to="feasible"),
    "a status of another document": _change("status", to="exact"),
    "a higher bound": _higher(1e-10),
    "more of single items": _change("levels", 0, "weight", to=lambda weight: str(int(weight) * 2)),
    "another share": _change("levels", 0, "below", to=lambda below: below + 1),
    "fewer levels": lambda data: data["levels"].pop(),
    "another row": _change("levels", -1, "row", to=lambda row: "1" + "0" * (len(row) - 1)),
    "a smaller gap": _change("gap", to=lambda gap: gap * (1 - 1e-9)),
    "a larger gap": _change("gap", to=lambda gap: gap * (1 + 1e-8)),
    "a value above the bound": _change("variance", "lower", "value", to=lambda value: value * (1 + 1e-12)),
    "a value far below the bound": _change("variance", "lower", "value", to=lambda value: value * (1 - 1e-8)),
    "a smaller epsilon": _change("problem", "epsilon", to=lambda epsilon: epsilon * (1 - 1e-9)),
    "another alpha": _change("problem", "alpha", to=lambda alpha: str(Fraction(alpha) - Fraction(1, 10**6))),
    "the other workload": _change("problem", "workload", to="circular"),
    "only cells, blind to some frequency": _change("levels", to=[{"weight": "1", "row": "10"}]),
}
FALSE_PREFIXES = {
    "a smaller variance": ("prefixes", _tighter(1e-8)),
    "a higher bound": ("prefixes", _higher(1e-6)),
    "more of single items": ("prefixes", _change("levels", -1, "weight", to=lambda weight: str(int(weight) * 2))),
    "another share": ("prefixes", _change("levels", -1, "below", to=lambda below: below + 1)),
    "other densities": ("prefixes", _change("levels", 0, "densities", to=lambda all_of_them: [1] * len(all_of_them))),
    "fewer shifts": ("prefixes", _change("levels", 0, "shifts", to=1)),
    "no single items": ("prefixes", lambda data: data.update(levels=data["levels"][:1])),
    "other multipliers": ("prefixes", _change("certificate", "multipliers", 0, to="2")),
    "multipliers without a bound": (
        "prefixes",
        _change("certificate", "multipliers", to=["900000", "1", "1", "1", "1"]),
    ),
    "the bound of equal items": ("prefixes", _change("certificate", to={"kind": "floor"})),
    "measured, and called proved": ("many prefixes", _change("status", to="certified")),
    "a bound above what was measured": (
        "many prefixes",
        _change("variance", "lower", to={"exact": "30000", "value": 3e4}),
    ),
    "no single items among many": ("many prefixes", lambda data: data["levels"].pop()),
    "measured below the bound": (
        "many prefixes",
        _change("variance", "upper", to={"exact": None, "value": 2, "interval": [1, 3], "how": "computed"}),
    ),
    "one partition alone": ("prefixes", lambda data: data.update(levels=[{**data["levels"][0], "shifts": 1}])),
    "a smaller epsilon": ("many prefixes", _change("problem", "epsilon", to=lambda epsilon: epsilon * (1 - 1e-9))),
}
MALFORMED_PREFIXES = {
    "blocks of a circle": ("prefixes", _change("levels", -1, "blocks", to=12)),
    "places without an item": ("prefixes", _change("places", to=25)),
    "a density too few": ("prefixes", lambda data: data["levels"][0]["densities"].pop()),
    "a density of 0": ("prefixes", _change("levels", 0, "densities", 0, to=0)),
    "too many shifts": ("prefixes", _change("levels", 0, "shifts", to=65)),
    "all cells": ("prefixes", _change("levels", 0, "below", to=3)),
    "more bits than labels": ("prefixes", _change("levels", 0, to=lambda level: {**level, "bits": 3})),
    "a multiplier too few": ("prefixes", lambda data: data["certificate"]["multipliers"].pop()),
    "a multiplier of 0": ("prefixes", _change("certificate", "multipliers", 0, to="0")),
    "arcs": ("prefixes", _change("problem", "workload", to="circular")),
    "a recursion for arcs": ("arcs", _change("certificate", to={"kind": "recursion", "multipliers": ["1"]})),
    "a measured variance of few": (
        "prefixes",
        _change("variance", "upper", to=lambda upper: {**upper, "interval": [1, 10**6], "how": "computed"}),
    ),
    "a proved variance of many": (
        "many prefixes",
        _change(
            "variance", "upper", to=lambda upper: {"exact": str(Fraction(upper["value"])), "value": upper["value"]}
        ),
    ),
    "an exact number of what was measured": ("many prefixes", _change("variance", "upper", "exact", to="30000")),
    "a gap to what was measured": ("many prefixes", _change("gap", to=0.1)),
    "an interval beside the value": ("many prefixes", _change("variance", "upper", "interval", 0, to=10**6)),
    "another way": ("many prefixes", _change("variance", "upper", "how", to="guessed")),
    "more items than are served": (
        "many prefixes",
        lambda data: data.update(problem={**data["problem"], "k": (1 << 20) + 1}, places=(1 << 20) + 1),
    ),
}
MALFORMED = {
    "no levels": _change("levels", to=[]),
    "a level twice": lambda data: data["levels"].append(data["levels"][0]),
    "a weight of 0": _change("levels", 0, "weight", to="0"),
    "a number for a weight": _change("levels", 0, "weight", to=3),
    "a length for a number of blocks": _change("levels", 0, to={"weight": "1", "length": 1, "bits": 1, "below": 1}),
    "more blocks than places": _change("levels", 0, "blocks", to=17),
    "one block": _change("levels", 0, "blocks", to=1),
    "more masks than bits of a label": _change("levels", 0, to={"weight": "1", "blocks": 4, "bits": 3, "below": 1}),
    "all buckets": _change("levels", 0, "below", to=1 << 6),
    "more to compute than seconds take": lambda data: data.update(
        problem={**data["problem"], "k": 16_777_213},
        places=16_777_213,
        levels=[{"weight": "1", "blocks": blocks, "bits": 1, "below": 1} for blocks in (2, 3, 5)],
    ),
    "more places than are served": lambda data: data.update(
        problem={**data["problem"], "k": (1 << 24) - 1},
        places=(1 << 24) + 2,
        levels=[{"weight": "1", "blocks": 4, "bits": 1, "below": 1}],
    ),
    "a long alpha": _change("problem", "alpha", to=f"{3**2600}/{1 << 4122}"),
    "a row of ones": _change("levels", -1, "row", to="1" * 16),
    "a row of too many cells": _change("levels", -1, "row", to="01" * 9),
    "a row of other letters": _change("levels", -1, "row", to="01020000"),
    "fewer places than items": _change("places", to=15),
    "places without end": _change("places", to=33),
    "prefixes": _change("problem", "workload", to="prefixes"),
    "the worst case": _change("problem", "aggregate", to="worst"),
    "three items": _change("problem", "k", to=3),
    "no exact variance": _change("variance", "upper", "exact", to=None),
    "no status": lambda data: data.pop("status"),
    "another certificate": _change("certificate", "kind", to="rows"),
    "a certificate with more": _change("certificate", to={"kind": "floor", "scale": "1"}),
    "half of an enclosure": _change("problem", to=lambda problem: {**problem, "asked_epsilon": "1"}),
    "an unknown key": lambda data: data.update(rows=[]),
    "a version that is none": _change("format", to="mechdesign-workload/4"),
}


def _written(data, folder, number=0):
    path = folder / f"{number}.json"
    path.write_text(json.dumps(data))
    return path


def test_true_documents_are_proved(true, tmp_path):
    for number, data in enumerate(true.values()):
        assert by_program(_written(data, tmp_path, number)) == PROVED


@pytest.mark.parametrize("change", FALSE_PREFIXES)
def test_false_claims_of_prefixes_are_found(change, true, tmp_path):
    case, make = FALSE_PREFIXES[change]
    data = copy.deepcopy(true[case])
    make(data)
    assert by_program(_written(data, tmp_path)) == FALSE


@pytest.mark.parametrize("change", MALFORMED_PREFIXES)
def test_what_is_no_design_for_prefixes_is_refused(change, true, tmp_path):
    case, make = MALFORMED_PREFIXES[change]
    data = copy.deepcopy(true[case])
    make(data)
    assert by_program(_written(data, tmp_path)) == UNREADABLE


def test_a_measured_variance_is_not_said_to_be_proved(true):
    found = read_level_design(parse_json(json.dumps(true["many prefixes"])))
    assert found.measured is not None
    assert found.gap is None
    assert "is not proved" in found.words


@pytest.mark.parametrize("change", FALSE_CLAIMS)
def test_false_claims_are_found(change, true, tmp_path):
    data = copy.deepcopy(true["even"])
    FALSE_CLAIMS[change](data)
    assert by_program(_written(data, tmp_path)) == FALSE


@pytest.mark.parametrize("change", MALFORMED)
def test_what_is_no_document_is_refused(change, true, tmp_path):
    data = copy.deepcopy(true["even"])
    MALFORMED[change](data)
    assert by_program(_written(data, tmp_path)) == UNREADABLE


@settings(max_examples=25)
@given(share=st.floats(1e-12, 0.5), other=st.floats(1e-9, 0.5))
def test_no_narrower_gap_is_believed(share, other, true, tmp_path_factory):
    """Whatever is stated of the variance or of the bound beyond what is shown."""
    folder = tmp_path_factory.mktemp("forged")
    for number, (case, change) in enumerate((("a size rounded up", _tighter(share)), ("arcs", _higher(other)))):
        data = copy.deepcopy(true[case])
        change(data)
        assert by_program(_written(data, folder, number)) == FALSE


MUTANTS = [
    ("circles.py", "(sine + ULPS) ** 2 >> BITS) + 1", "(sine - ULPS) ** 2 >> BITS) - (1 << 99)"),
    (
        "circles.py",
        "1 / (1 + (Fraction(labels, held) - 1) * alpha)",
        "1 / (1 + Fraction(labels, held) * alpha)",
    ),
    ("circles.py", "q = (held - p) / (labels - 1)", "q = held / Fraction(labels)"),
    ("circles.py", "s = p * Fraction(held - 1, labels - 1)", "s = p * Fraction(held, labels)"),
    ("circles.py", "(q - r, p - q + 2 * r - 2 * s, p - q)", "(q - r, p - q + 2 * r - s, p - q)"),
    ("circles.py", "1 / total, odds / total, odds / total", "1 / total, odds / total, 1 / total"),
    (
        "circles.py",
        "self.own * Fraction(most, circle.k)) / self._even",
        "self.own * Fraction(most, circle.places)) / self._even",
    ),
    ("circles.py", "0) - s * t * times", "0) + s * t * times"),
    ("circles.py", "half[(period - 1) // 2 : 0 : -1]", "half[period // 2 : 0 : -1]"),
    ("circles.py", "(1 if 2 * j == places else 2)", "2"),
    ("circles.py", "pairs * (k - padding * padding) + starts * (k + 1 + 2 * padding)", "pairs * k + starts * (k + 1)"),
    ("circles.py", "inner += (k - 1 - d) * (own + (2 * d * padding) ** 2)", "inner += (k - 1 - d) * own"),
    ("circles.py", "outer += own + ((2 * d - k) * padding) ** 2", "outer += own"),
    ("circles.py", "if min(told[1:]) <= 0:", "if False:"),
    ("circles.py", "2 * half + (k % 2 == 0)", "2 * half + 1.5"),
    ("circles.py", "for n in (near, near + 1)", "for n in (near,)"),
    ("level_design.py", "above <= exact", "True"),
    ("level_design.py", "near = exact <= value <= exact + ROUNDING * abs(exact) + LEAST", "near = exact <= value"),
    ("level_design.py", "near = exact <= value <= exact + ROUNDING", "near = value <= exact + ROUNDING"),
    ("level_design.py", "design.status == status", "design.status in STATUSES"),
    ("level_design.py", "exact <= most", "True"),
    ("level_design.py", "any(isinstance(entry, BlockEntry) for entry in design.levels)", "True"),
    ("lines.py", "Fraction(level.weight << BITS, weight * level.shifts)", "Fraction(level.weight << BITS, weight)"),
    ("lines.py", "own * Fraction(items, k)", "own * Fraction(0, k)"),
    ("lines.py", "part * later >> BITS", "part * later >> BITS - 1"),
    ("lines.py", "-((-link << BITS) // degree)", "0"),
    ("lines.py", "(sum(map(mul, links, later)) >> BITS)", "0"),
    ("lines.py", "- Fraction(k * k - 1, 6 * k)", "- Fraction(k * k - 1, 5 * k)"),
    ("lines.py", "2 * self.shifts * self.blocks * r + turn", "2 * self.shifts * self.blocks * r"),
    ("lines.py", "if not degree:", "if False:"),
    ("prefix_bound.py", "rest = 1 - charge * Fraction(inverse, ONE) / power", "rest = 1"),
    ("prefix_bound.py", "f = weight + ONE - turned", "f = weight + 2 * ONE - turned"),
    ("prefix_bound.py", "b = ONE + part + 1", "b = part + 1"),
    ("prefix_bound.py", "inverse + b * b // f + 1", "inverse"),
    ("prefix_bound.py", "- Fraction(k * k - 1, 6 * k)", ""),
    ("prefix_bound.py", "LN2_BELOW**2", "LN2_BELOW"),
    ("prefix_bound.py", "(start - 2)", "(start - 4)"),
    ("prefix_bound.py", "(whole * (kappa - 1))", "whole"),
    ("circles.py", "Sines(2 * k).cosecants(k - 1) / 2", "Sines(2 * k).cosecants(k - 1)"),
    ("level_design.py", 'detail = "" if exact <= floor else', 'detail = "" if True else'),
    ("level_design.py", "near = exact - ROUNDING * abs(exact) - LEAST <= value <= exact", "near = value <= exact"),
    ("level_design.py", "gap <= design.gap <= gap * (1 + ROUNDING) + GAP_ROUNDING", "gap <= design.gap"),
    ("level_design.py", "LONGEST_ALPHA = 1 << 12", "LONGEST_ALPHA = 1 << 13"),
    ("level_design.py", "len(set(levels)) < len(levels)", "False"),
    ("level_design.py", "yield from enclosure_claims(design.privacy)", "pass"),
]


SLOPES = [["304", "30", "10", "7", "6"], ["4", "4", "4", "4", "5"]]


@pytest.fixture(scope="module")
def documents(true, tmp_path_factory):
    """True, false and malformed documents, with the verdicts of the program as it is."""
    folder = tmp_path_factory.mktemp("levels")
    found = []
    changes = [(case, lambda data: None) for case in true]
    changes += [("even", change) for change in (*FALSE_CLAIMS.values(), *MALFORMED.values())]
    changes += [*FALSE_PREFIXES.values(), *MALFORMED_PREFIXES.values()]
    proved = [case for case in true if case != "many prefixes"]
    changes += [(case, make(share)) for case in proved for make in (_tighter, _higher) for share in (1e-12, 1e-6, 1e-3)]
    changes += [("prefixes", _change("certificate", "multipliers", to=rising)) for rising in SLOPES]
    changes.append(("arcs", _change("problem", "asked_epsilon", to="99/100")))
    for number, (case, change) in enumerate(changes):
        data = copy.deepcopy(true[case])
        change(data)
        path = _written(data, folder, number)
        found.append(([path], by_program(path)))
    return found


test_a_changed_statement_is_noticed = each_noticed(MUTANTS)


def test_a_document_is_the_text_of_its_design(true, tmp_path):
    from mechdesign import read_design

    for number, data in enumerate(true.values()):
        path = tmp_path / f"{number}.json"
        path.write_text(document_text(data))
        assert document_text(design_document(read_design(path))) == path.read_text()
