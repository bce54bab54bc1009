"""A checker of formulas with one check left out proves some lie, or refuses what is true: the tests would notice."""

import json

import pytest
from formula_documents import BY_HAND, STORED, one_person, stored
from formula_forgeries import FALSE, STILL_TRUE, UNREADABLE
from mutants import is_noticed, mutant
from two_checkers import UNREADABLE as UNREADABLE_CODE

from mechdesign.verify import __main__ as program

MUTANTS = [
    ("reading.py", "if not found[-1]:", "if False:"),
    ("reading.py", "type(entry) is str and len(entry)", "len(str(entry))"),
    ("reading.py", "if len(value) > MOST_DEGREE + 1:", "if False:"),
    ("reading.py", 'or any("," in entry for entry in value)', ""),
    ("reading.py", "if not 0 <= low <= high <= 1:", "if False:"),
    ("reading.py", "polynomial[-1] < 0 or", ""),
    ("reading.py", " or not self.is_primitive(polynomial)", ""),
    ("reading.py", "if (exact is None) != (len(polynomial) > 2):", "if False:"),
    ("reading.py", "if (low == high) if exact is None else (low, high) != (exact, exact):", "if False:"),
    ("reading.py", "if not covered or not pieces:", "if False:"),
    ("reading.py", "        if not parts:", "        if False:"),
    ("reading.py", "all(type(x) is int for x in (i, j, k, h))", "True"),
    ("ends.py", " and sign_changes(p, self.low, self.high, work) == 1", ""),
    ("ends.py", "len(p) == 2 and not value_at(p, self.low, work)", "len(p) == 2"),
    ("ends.py", "> NEAR:", "> 1:"),
    ("ends.py", "        if not found:\n", "        if False:\n"),
    ("ends.py", "return (found < 0) == rises", "return found < 0"),
    ("claims.py", "if not _touch([piece.ends[0], *inner, piece.ends[1]]):", "if False:"),
    ("claims.py", "elif is_before(last, piece.ends[0], work):", "elif True:"),
    ("claims.py", "if runs != document.covered:", "if False:"),
    ("claims.py", "and before.score == piece.score:", "and False:"),
    ("claims.py", "before.ends[1] == piece.ends[0] and ", ""),
    ("claims.py", "if not are_coprime(*piece.score):", "if False:"),
    ("claims.py", "if not Signs(*piece.ends, work).is_positive_at_ends_too(piece.score[1]):", "if False:"),
    ("claims.py", "        yield from matrix_defects(program, part, score, signs)", "        pass"),
    ("claims.py", "    yield from bound_defects(program, part.dual, score, signs)", "    pass"),
    ("polynomials.py", "if gcd(*p, *q) != 1:", "if False:"),
    ("polynomials.py", "_degree_of_common(p, q, prime) == 0", "True"),
    ("primal.py", "if tuple(total_of(column)) != part.denominator:", "if False:"),
    ("primal.py", "is_met = matrix[i][j] == matrix[k][h]", "is_met = True"),
    ("primal.py", "is_met = signs.is_never_negative(trimmed(left))", "is_met = True"),
    ("primal.py", "    if program.floor:", "    if False:"),
    ("primal.py", "if program.has_rotation and", "if False and"),
    ("primal.py", "if times(product(trimmed(total), score[1]), s) !=", "if False and 0 !="),
    (
        "primal.py",
        '        if not signs.is_never_negative(trimmed(left)):\n            yield f"column',
        '        if False:\n            yield f"column',
    ),
    ("primal.py", "matrix[k][h], -r.numerator, d)", "matrix[k][h], -r.numerator, 1)"),
    ("dual.py", "if dual.denominator is not None and not signs.is_positive(dual.denominator):", "if False:"),
    ("dual.py", "if not signs.is_never_negative(weight):", "if False:"),
    ("dual.py", "if tuple(total_of(dual.prior)) != dual.denominator:", "if False:"),
    ("dual.py", "if kind not in kernel.EQUALITIES and not signs.is_never_negative(multiplier):", "if False:"),
    ("dual.py", "add_to(reduced[k][h], multiplier, factor, d)", "add_to(reduced[k][h], multiplier, factor, 1)"),
    ("dual.py", "add_to(reduced[i][j], multiplier, factor, d)", "add_to(reduced[i][j], multiplier, factor)"),
    ("dual.py", "int(unit * program.floor))", "unit)"),
    ("dual.py", "    if program.has_rotation:", "    if False:"),
    (
        "dual.py",
        '            if not signs.is_never_negative(trimmed(left)):\n                yield f"the reduced',
        '            if False:\n                yield f"the reduced',
    ),
    (
        "dual.py",
        '        if not signs.is_never_negative(trimmed(left)):\n            yield f"what',
        '        if False:\n            yield f"what',
    ),
    ("dual.py", "if not signs.is_positive(constant):", "if False:"),
    ("dual.py", "if times(product(constant, score[1]), s) !=", "if False and 0 !="),
    ("dual.py", "add_to(left, price, -unit)", "pass"),
    ("program.py", "or not all(0 <= x < self.size for x in place)", ""),
    ("program.py", "if kind not in self.kinds or", "if"),
    ("program.py", "k <= j <= h and 0 < h - k <= self.reach", "0 < h - k <= self.reach"),
    ("program.py", "0 < h - k <= self.reach", "0 < h - k"),
    ("program.py", "0 < h - k <= self.reach", "h - k <= self.reach"),
    ("program.py", 'length if kind == "DP" else 0', '1 if kind == "DP" else 0'),
    (
        "signs.py",
        "if min(p) >= 0 or max(p) <= 0:\n            return min(p) >= 0",
        "if min(p) >= 0 or max(p) <= 0:\n            return True",
    ),
    ("signs.py", "p = times(rest, self._sign_of(end))", "p = rest"),
    (
        "signs.py",
        "        if not p:\n            return False\n        zeros",
        "        if not p:\n            return True\n        zeros",
    ),
    ("signs.py", "least + sum(map(mul, below, self._power(high, True, len(p)))) > 0", "least > 0"),
    ("roots.py", "or value_at(p, middle, work) <= 0:", "or False:"),
    ("roots.py", "return shifted(moved[::-1])", "return moved"),
]
"""By files of `mechdesign/verify/formulas`."""


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """True, false and malformed documents, with the verdicts of the program as it is; short ones first."""
    made = [make() for make in BY_HAND.values()] + [stored(name) for name in STORED]
    changes = [(make, change) for make, change, *_ in (*FALSE.values(), *STILL_TRUE.values())]
    for make, change in [*changes, *((one_person, change) for change, _ in UNREADABLE.values())]:
        made.append(make())
        change(made[-1])
    found = {True: [], False: []}
    for number, text in enumerate(sorted(map(json.dumps, made), key=len)):
        path = tmp_path_factory.mktemp("formula") / f"{number}.json"
        path.write_text(text)
        verdict = program.main([str(path)])
        found[verdict == UNREADABLE_CODE].append(([path], verdict))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "statement", "instead"), MUTANTS)
def test_a_check_that_is_left_out_is_missed(name, statement, instead, documents, tmp_path, monkeypatch):
    """Readers are tried with what is unreadable, the others with what is not."""
    with mutant(f"formulas/{name}", statement, instead, tmp_path, monkeypatch) as other:
        assert is_noticed(other, documents[name == "reading.py"])
