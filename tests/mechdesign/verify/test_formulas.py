"""The checker of formulas: true ones are proved, and each lie is refused for what it is."""

import json
from fractions import Fraction
from random import Random

import pytest
from formula_alterations import alterations, claimed
from formula_documents import BY_HAND, STORED, beyond_reach, false_claims, one_person, stored, two_points
from formula_forgeries import FALSE, LENGTHS, STILL_TRUE, UNREADABLE
from two_checkers import FALSE as IS_FALSE
from two_checkers import PROVED, by_program

import mechdesign as md
from mechdesign.verify import document, kernel
from mechdesign.verify.document import PLAIN_PROPERTIES
from mechdesign.verify.formulas import claims, read_formula, reading, work
from mechdesign.verify.formulas.program import read_program
from mechdesign.verify.texts import UnreadableError, parse_json


@pytest.mark.parametrize("name", [*STORED, *BY_HAND])
def test_a_true_formula_is_proved(name):
    assert false_claims(BY_HAND[name]() if name in BY_HAND else stored(name)) == []


@pytest.mark.parametrize("name", FALSE)
def test_a_lie_is_refused_for_what_it_is(name):
    make, change, why = FALSE[name]
    data = make()
    assert false_claims(data) == []
    change(data)
    assert why in false_claims(data)[0]


@pytest.mark.parametrize("name", STILL_TRUE)
def test_what_is_still_true_is_proved(name):
    make, change = STILL_TRUE[name]
    data = make()
    change(data)
    assert false_claims(data) == []


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_breaks_a_rule_of_form_is_unreadable(name):
    change, why = UNREADABLE[name]
    data = one_person()
    change(data)
    with pytest.raises(UnreadableError) as refusal:
        false_claims(data)
    assert why in str(refusal.value)


@pytest.mark.parametrize("name", LENGTHS)
def test_lengths_that_are_none_are_unreadable(name):
    lengths, why = LENGTHS[name]
    data = two_points()
    data["problem"]["lengths"] = lengths
    with pytest.raises(UnreadableError) as refusal:
        false_claims(data)
    assert why in str(refusal.value)


def test_the_program_tells_true_from_false(tmp_path):
    path, data = tmp_path / "formula.json", beyond_reach()
    path.write_text(json.dumps(data))
    assert by_program(path) == PROVED
    data["pieces"][0]["score"]["numerator"] = ["0", "3"]
    path.write_text(json.dumps(data))
    assert by_program(path) == IS_FALSE


def test_pieces_are_told_in_words():
    told = [claim.claim for claim in claims.formula_claims(read_formula(parse_json(json.dumps(beyond_reach()))))]
    assert told[-2:] == [
        "piece 0, alpha from 0 to 1/3: the least score is (2a) / (a + 1)",
        "piece 1, alpha from 1/3 to 1: no mechanism does what was asked",
    ]
    assert claims.polynomial_words((-4, 0, -1, 1)) == "a^3 - a^2 - 4"
    assert claims.polynomial_words(()) == "0"
    told = [
        claim.claim for claim in claims.formula_claims(read_formula(parse_json(json.dumps(stored("count-4-CM-L1")))))
    ]
    assert told[1] == "pieces and parts cover 0 to 1"
    assert told[2].startswith("piece 0, alpha from 0 to 1/2: the least score is (2a^4 + 4a^3 + 6a^2 + 8a) / (5a + 5)")
    assert told[3].startswith("piece 1, alpha from 1/2 to about 0.518790: ")
    assert claims._score_words(tuple(range(20)), (1,)) == "a quotient of polynomials of degrees 19 and 0"
    assert claims._score_words((1, 2), (1,)) == "2a + 1"
    assert claims._score_words((6,), (5,)) == "6/5"
    assert claims._score_words((1 << 500,), (5,)) == "a quotient of polynomials of degrees 0 and 0"


def at(p, x):
    return sum(int(value) * x**k for k, value in enumerate(p))


@pytest.mark.parametrize("name", STORED)
def test_scores_are_those_of_exact_designs(name):
    """At a random alpha in a piece, and at one within 1e-4 of its end."""
    random, data = Random(name), stored(name)
    problem = data["problem"]
    model = {"count": lambda: None, "ldp": lambda: md.Model.ldp(problem["k"])}.get(
        problem["model"], lambda: md.Model.lldp(problem["k"], problem["radius"])
    )()
    demands = {key: problem[key] for key in ("properties", "loss", "aggregate", "prior")}
    size = {"n": problem["n"]} if model is None else {"model": model}
    piece = random.choice(data["pieces"])
    low, high = (Fraction(piece[key]["value"]) for key in ("from", "to"))
    near = low + min(Fraction(1, 10**4), (high - low) / 2) * Fraction(random.randint(10, 99), 100)
    for alpha in (low + (high - low) * Fraction(random.randint(1, 999), 1000), near):
        x = alpha.limit_denominator(10**7)
        found = md.design(md.DesignProblem(**size, **demands, alpha=x), exact=True)
        numerator, denominator = (at(piece["score"][key], x) for key in ("numerator", "denominator"))
        assert found.score == found.lower_bound == numerator / denominator


PROGRAMS = [
    {"model": "count", "n": 3, "properties": ["RH", "CM", "OS:1/3", "FE"]},
    {"model": "count", "n": 3, "properties": ["RM", "CH", "F", "WH"]},
    {"model": "ldp", "k": 4, "properties": ["CH"]},
    {"model": "lldp", "k": 4, "radius": 2, "properties": []},
    {"model": "metric", "k": 4, "lengths": [[0, 1, 3, 4], [1, 0, 2, 3], [3, 2, 0, 1], [4, 3, 1, 0]], "properties": []},
]


def program_of(entry):
    return read_program({"loss": "L1", "aggregate": "expected", "prior": "uniform", **entry})


@pytest.mark.parametrize("entry", PROGRAMS)
def test_the_rows_of_a_program_are_all_that_the_kernel_knows(entry):
    """Of all pairs of entries; what holds by itself is left out."""
    program, every = program_of(entry), range(4)
    places = [(i, j, k, h) for i in every for j in every for k in every for h in every if (i, j) != (k, h)]
    known = {
        (kind, place)
        for kind in program.kinds - {"LEAST", "ABOVE"}
        for place in places
        if kernel.has_row(kind, place, program.lengths.get((place[1], place[3]), 0), 3)
    }
    assert {(kind, place) for kind, place, _, _ in program.rows} == known
    assert len(program.rows) == len(known)


EACH = [name for name in (*PLAIN_PROPERTIES, "WH:3/2", "OS:1/2") if name != "S"]
ALONE = [{"model": "count", "n": 3, "properties": [name]} for name in EACH]


@pytest.mark.parametrize("entry", [*PROGRAMS, *ALONE])
def test_a_matrix_meets_all_rows_where_the_kernel_finds_no_defect(entry):
    """At alpha 1/4, of matrices that are changed a little from one that has nearly all properties."""
    program, random, a = program_of(entry), Random(1), Fraction(1, 4)
    edges = [(j, h, d) for (j, h), d in program.lengths.items() if j < h]
    verdicts = set()
    for _ in range(200):
        diagonal, other = random.choice(((12, 12), (24, 8)))
        rows = [[diagonal if i == j else other for j in range(4)] for i in range(4)]
        for _ in range(random.randrange(4)):
            (i, k), j, change = random.sample(range(4), 2), random.randrange(4), random.choice((1, 4, 8))
            rows[i][j] += change
            rows[k][j] -= change
        meets = all(
            (rows[i][j] == rows[k][h] if kind in ("F", "FE") else rows[i][j] >= r * a**d * rows[k][h])
            for kind, (i, j, k, h), r, d in program.rows
        )
        meets &= all(row[i] >= program.floor * 48 for i, row in enumerate(rows)) and min(map(min, rows)) >= 0
        assert meets == (not list(kernel.defects(rows, 48, (1, 4), edges, program.properties)))
        verdicts.add(meets)
    assert verdicts == {True, False}


def test_properties_that_no_rows_state_are_unreadable(monkeypatch):
    """Such as one that the kernel of designs came to know."""
    monkeypatch.setattr(document, "PLAIN_PROPERTIES", (*PLAIN_PROPERTIES, "XX"))
    with pytest.raises(UnreadableError, match="properties that rows state, got 'XX'"):
        program_of({"model": "count", "n": 3, "properties": ["XX"]})


def test_least_entries_stand_for_neighbours_alone():
    for entry, reach in (({"model": "ldp", "k": 5}, 4), ({"model": "lldp", "k": 5, "radius": 2}, 2)):
        program = program_of({**entry, "properties": []})
        for j in range(5):
            for k in range(5):
                for h in range(5):
                    stands = program.ratio("ABOVE", (0, j, k, h)) is not None
                    window = range(k, h + 1)
                    pairs = all((x, y) in program.lengths for x in window for y in window if x != y)
                    assert stands == (k < h and j in window and pairs) == (k < h <= k + reach and k <= j <= h)


def test_random_alterations_change_nothing_that_is_claimed():
    """A sample of `tests/fuzzing/forge_formulas.py`: whatever is accepted claims what the true formula does."""
    accepted = 0
    for name in ("count-4-WH-L0", "ldp-5-L1", "count-4-WH-worst"):
        true = stored(name)
        for data in alterations(true, 40, Random(name)):
            if not refused(data):
                accepted += 1
                assert claimed(data) == claimed(true)
    assert accepted <= 6


def refused(data):
    try:
        return bool(false_claims(data))
    except UnreadableError:
        return True


def test_too_much_work_is_not_done(monkeypatch):
    monkeypatch.setattr(work, "MOST_WORK", 2_000)
    assert claims.TOO_LONG in false_claims(stored("count-4-CM-L1"))[-1]


def test_work_counts_each_row_and_entry_of_a_part():
    """So a table of long polynomials that stand everywhere does not keep a checker busy."""
    counted = []

    class Counting(work.Work):
        def charge(self, operations, bits):
            counted.append((operations, bits))
            super().charge(operations, bits)

    document = read_formula(parse_json(json.dumps(one_person())))
    (piece,) = document.pieces
    list(claims._part_defects(document.program, piece.parts[0], piece.score, Counting()))
    rows = len(document.program.rows)
    assert counted[0] == ((2 * rows + 2 + 4 * 4) * 2, 2 + document.program.bits)
    assert document.program.bits >= 2


@pytest.mark.parametrize(("bits", "each"), [(0, 1), (1023, 1), (1024, 2), (5000, 5)])
def test_work_grows_with_the_bits_of_coefficients(bits, each):
    spent = work.Work()
    spent.charge(10, bits)
    assert spent.done == 10 * each
    spent.charge_product((1, 2, 3), (4, 1 << 2000))
    assert spent.done == 10 * each + 2 * 3 * 2
    assert work.longest([(), (1, -16), (3,)]) == 5


def test_64_inputs_are_not_too_many():
    lengths = [[abs(j - h) for h in range(64)] for j in range(64)]
    assert program_of({"model": "metric", "k": 64, "lengths": lengths, "properties": []}).size == 64
    with pytest.raises(UnreadableError, match="2 to 64 points"):
        program_of({"model": "metric", "k": 65, "lengths": [[0] * 65] * 65, "properties": []})


def test_too_many_parts_are_unreadable(monkeypatch):
    monkeypatch.setattr(reading, "MOST_PARTS", 7)
    assert false_claims(stored("count-4-CM-L1")) == []
    monkeypatch.setattr(reading, "MOST_PARTS", 6)
    with pytest.raises(UnreadableError, match="at most 6 parts"):
        false_claims(stored("count-4-CM-L1"))
