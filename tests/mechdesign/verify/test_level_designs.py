"""Designs of levels: the checker's circle against reports that are listed and dense matrices; forgeries; mutants."""

import copy
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from mutants import is_noticed, mutant
from two_checkers import FALSE, PROVED, UNREADABLE, by_program

from mechdesign.documents.document import design_document, document_text
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.verify import circles
from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.ordered import Ranges
from mechdesign_catalog.systems.designs.level_design import design_levels
from mechdesign_catalog.systems.levels.masked_blocks import MaskedBlocks
from mechdesign_catalog.systems.levels.rotated_cells import RotatedCells

WORKLOADS = {"ranges": Ranges, "circular": Arcs}


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
    (5, 6): [(3, MaskedBlocks, {"length": 1}), (2, MaskedBlocks, {"length": 2}), (1, RotatedCells, (3, 0b011))],
    (8, 8): [(1, MaskedBlocks, {"length": 1}), (4, MaskedBlocks, {"length": 4}), (2, RotatedCells, (8, 0b1011))],
    (5, 8): [(5, MaskedBlocks, {"length": 1}), (1, RotatedCells, (8, 0b11011))],
    (8, 9): [(5, MaskedBlocks, {"length": 3}), (1, RotatedCells, (9, 0b11011))],
}


@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(1, 5)])
@pytest.mark.parametrize("sizes", LEVELS)
@pytest.mark.parametrize("name", WORKLOADS)
def test_the_variance_is_that_of_all_reports(name, sizes, alpha):
    """The score of each report, from its law and dense matrices; with padding what is said is only above it."""
    (k, places), privacy = sizes, Privacy(alpha=alpha)
    levels, oracles = [], []
    for weight, kind, how in LEVELS[sizes]:
        if kind is MaskedBlocks:
            oracle = MaskedBlocks(places, privacy, **how)
            levels.append(circles.block_level(alpha, weight, places, oracle.length, oracle.bucket_bits, oracle.below))
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
    assert above == pytest.approx(variance, rel=1e-11 if k == places else 0.35)


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


def _designed(k, workload=Ranges, **asked):
    return design_document(design_levels(WorkloadProblem(workload(k), **asked)))


@pytest.fixture(scope="module")
def true():
    return {
        "even": _designed(16, alpha="1/3"),
        "arcs": _designed(24, Arcs, epsilon=1),
        "a size rounded up": _designed(14, epsilon=1),
        "padded": _designed(35, epsilon="1/2"),
        "padded arcs": _designed(73, Arcs, alpha="1/2"),
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
        upper = data["variance"]["upper"]["value"] * (1 - share)
        data["variance"]["upper"]["value"] = upper
        gap = Fraction(repr(upper)) / Fraction(data["variance"]["lower"]["exact"]) - 1
        data["gap"] = math.nextafter(float(gap), math.inf)

    return changed


def _higher(share):
    """State a bound above the floor, and the gap that belongs to it."""

    def changed(data):
        lower = Fraction(data["variance"]["lower"]["exact"]) * (1 + Fraction(share))
        data["variance"]["lower"] = {"exact": str(lower), "value": float(lower) * (1 - 1e-14)}
        gap = Fraction(repr(data["variance"]["upper"]["value"])) / lower - 1
        data["gap"] = float(gap) * (1 + 1e-13)

    return changed


FALSE_CLAIMS = {
    "a smaller variance": _tighter(1e-12),
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
MALFORMED = {
    "no levels": _change("levels", to=[]),
    "a level twice": lambda data: data["levels"].append(data["levels"][0]),
    "a weight of 0": _change("levels", 0, "weight", to="0"),
    "a number for a weight": _change("levels", 0, "weight", to=3),
    "a length that does not divide": _change("levels", 0, "length", to=5),
    "one block": _change("levels", 0, "length", to=16),
    "more masks than bits of a label": _change("levels", 0, to={"weight": "1", "length": 4, "bits": 3, "below": 1}),
    "all buckets": _change("levels", 0, "below", to=1 << 6),
    "more to compute than a minute or two takes": lambda data: data.update(
        problem={**data["problem"], "k": 1 << 22},
        places=1 << 22,
        levels=[{"weight": str(w + 1), "length": 1, "bits": 5, "below": 9} for w in range(65)],
    ),
    "a row of ones": _change("levels", -1, "row", to="1" * 16),
    "a row of other cells": _change("levels", -1, "row", to="011"),
    "a row of other letters": _change("levels", -1, "row", to="01020000"),
    "fewer places than items": _change("places", to=15),
    "places without end": _change("places", to=33),
    "prefixes": _change("problem", "workload", to="prefixes"),
    "the worst case": _change("problem", "aggregate", to="worst"),
    "three items": _change("problem", "k", to=3),
    "an exact variance": _change("variance", "upper", "exact", to="1"),
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


@pytest.mark.parametrize("case", ["even", "arcs", "a size rounded up", "padded", "padded arcs"])
def test_true_documents_are_proved(case, true, tmp_path):
    assert by_program(_written(true[case], tmp_path)) == PROVED


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
        "1 / (1 + (Fraction(1 << bits, below) - 1) * alpha)",
        "1 / (1 + (Fraction(1 << bits, below)) * alpha)",
    ),
    ("circles.py", "q = (held - p) / (labels - 1)", "q = held / Fraction(labels)"),
    ("circles.py", "s = p * Fraction(held - 1, labels - 1)", "s = p * Fraction(held, labels)"),
    ("circles.py", "(p - q + 2 * r - 2 * s) / length", "(p - q + 2 * r - s) / length"),
    ("circles.py", "1 / unit, odds / unit, odds / unit", "1 / unit, odds / unit, 1 / unit"),
    (
        "circles.py",
        "self.own * Fraction(most, circle.k)) / even",
        "self.own * Fraction(self.ones, circle.places)) / even",
    ),
    ("circles.py", "2 * spread) * power", "spread) * power"),
    ("circles.py", "(1 if 2 * j == places else 2)", "2"),
    ("circles.py", "pairs * (k - padding * padding) + starts * (k + 1 + 2 * padding)", "pairs * k + starts * (k + 1)"),
    ("circles.py", "inner += (k - 1 - d) * (own + (2 * d * padding) ** 2)", "inner += (k - 1 - d) * own"),
    ("circles.py", "outer += own + ((2 * d - k) * padding) ** 2", "outer += own"),
    ("circles.py", "if min(told[1:]) <= 0:", "if False:"),
    ("circles.py", "2 * half + (k % 2 == 0)", "2 * half + 1.5"),
    ("circles.py", "for n in (near, near + 1)", "for n in (near,)"),
    ("level_design.py", "above <= design.upper", "True"),
    ("level_design.py", 'detail = "" if exact <= floor else', 'detail = "" if True else'),
    ("level_design.py", "near = exact - ROUNDING * abs(exact) - LEAST <= value <= exact", "near = value <= exact"),
    ("level_design.py", "gap <= design.gap <= gap * (1 + ROUNDING) + GAP_ROUNDING", "gap <= design.gap"),
    ("level_design.py", "len(set(levels)) < len(levels)", "False"),
    ("level_design.py", "yield from enclosure_claims(design.privacy)", "pass"),
]


@pytest.fixture(scope="module")
def judged(true, tmp_path_factory):
    """True, false and malformed documents, with the verdicts of the program as it is."""
    folder = tmp_path_factory.mktemp("levels")
    found = []
    changes = [(case, lambda data: None) for case in true]
    changes += [("even", change) for change in (*FALSE_CLAIMS.values(), *MALFORMED.values())]
    changes += [(case, make(share)) for case in true for make in (_tighter, _higher) for share in (1e-12, 1e-6)]
    changes.append(("arcs", _change("problem", "asked_epsilon", to="99/100")))
    for number, (case, change) in enumerate(changes):
        data = copy.deepcopy(true[case])
        change(data)
        path = _written(data, folder, number)
        found.append(([path], by_program(path)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "statement", "instead"), MUTANTS)
def test_a_changed_statement_is_noticed(name, statement, instead, judged, tmp_path, monkeypatch):
    with mutant(name, statement, instead, tmp_path, monkeypatch) as other:
        assert is_noticed(other, judged)


def test_a_document_is_the_text_of_its_design(true, tmp_path):
    from mechdesign import read_design

    for number, data in enumerate(true.values()):
        path = tmp_path / f"{number}.json"
        path.write_text(document_text(data))
        assert document_text(design_document(read_design(path))) == path.read_text()
