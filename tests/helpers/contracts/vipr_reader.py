"""A reader of VIPR 1.1 certificates, which checks them in exact rationals.

It follows the specification alone.

Nothing of mechdesign is used. Derivations may be of the kind `lin`, which is all that a linear program needs.
"""

import sys
from dataclasses import dataclass
from fractions import Fraction


class RefusedCertificateError(Exception):
    """The error when a certificate is wrong, with the reason."""


@dataclass(frozen=True)
class Constraint:
    name: str
    sense: str
    rhs: Fraction
    terms: dict

    def holds(self, point):
        value = sum(c * point.get(x, 0) for x, c in self.terms.items())
        return {"G": value >= self.rhs, "L": value <= self.rhs, "E": value == self.rhs}[self.sense]

    def dominates_lower_bound(self, terms, bound):
        """Whether it says at least that `terms >= bound`."""
        return self.terms == terms and self.sense in "GE" and self.rhs >= bound


@dataclass(frozen=True)
class Certificate:
    comments: list
    variables: list
    objective: dict
    constraints: list
    n_bounds: int
    lower: Fraction
    upper: Fraction
    solutions: list
    derivations: list

    @property
    def rows(self):
        return self.constraints[self.n_bounds :]

    def value(self, point):
        return sum(c * point.get(x, 0) for x, c in self.objective.items())


class Words:
    """The words of a file in turn."""

    def __init__(self, text):
        lines = text.splitlines()
        self.comments = []
        while lines and lines[0].startswith("%"):
            self.comments.append(lines.pop(0))
        self.words = iter(" ".join(lines).split())

    def word(self):
        try:
            return next(self.words)
        except StopIteration:
            raise RefusedCertificateError("the file ends early") from None

    def expect(self, *words):
        for word in words:
            if (got := self.word()) != word:
                raise RefusedCertificateError(f"expected {word}, got {got}")

    def whole(self):
        return int(self.word())

    def number(self):
        return Fraction(self.word())

    def pairs(self, how_many=None):
        terms = {}
        for _ in range(self.whole() if how_many is None else how_many):
            key = self.whole()
            if key in terms:
                raise RefusedCertificateError(f"index {key} twice")
            terms[key] = self.number()
        return {key: value for key, value in terms.items() if value}


def read_certificate(text):
    """Read a certificate; its numbers may have any number of digits."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return _read(text)
    finally:
        sys.set_int_max_str_digits(limit)


def _read(text):
    words = Words(text)
    words.expect("VER", "1.1", "VAR")
    variables = [words.word() for _ in range(words.whole())]
    words.expect("INT", "0", "OBJ", "min")
    objective = words.pairs()
    words.expect("CON")
    n_constraints, n_bounds = words.whole(), words.whole()
    constraints = [_constraint(words, objective) for _ in range(n_constraints)]
    words.expect("RTP", "range")
    lower, upper = words.number(), words.number()
    words.expect("SOL")
    solutions = [(words.word(), words.pairs()) for _ in range(words.whole())]
    words.expect("DER")
    derivations = []
    for _ in range(words.whole()):
        derived = _constraint(words, objective)
        words.expect("{", "lin")
        derivations.append((derived, words.pairs()))
        words.expect("}", "-1")
    if next(words.words, None) is not None:
        raise RefusedCertificateError("words after the end")
    return Certificate(
        words.comments,
        variables,
        objective,
        constraints,
        n_bounds,
        lower,
        upper,
        [p for _, p in solutions],
        derivations,
    )


def _constraint(words, objective):
    name, sense, rhs = words.word(), words.word(), words.number()
    if sense not in ("G", "L", "E"):
        raise RefusedCertificateError(f"{name} has the sense {sense}")
    terms = words.word()
    return Constraint(name, sense, rhs, objective if terms == "OBJ" else words.pairs(int(terms)))


def check(certificate):
    """Refuse a certificate that does not prove its range."""
    _check_form(certificate)
    for solution in certificate.solutions:
        for row in certificate.constraints:
            if not row.holds(solution):
                raise RefusedCertificateError(f"the solution breaks {row.name}")
    if min(map(certificate.value, certificate.solutions)) > certificate.upper:
        raise RefusedCertificateError("no solution reaches the upper bound")
    known = list(certificate.constraints)
    for derived, multipliers in certificate.derivations:
        combined = _combination(known, multipliers)
        if not combined.dominates_lower_bound(derived.terms, derived.rhs) or derived.sense != "G":
            raise RefusedCertificateError(f"the multipliers do not derive {derived.name}")
        known.append(derived)
    if not known[-1].dominates_lower_bound(certificate.objective, certificate.lower):
        raise RefusedCertificateError("the last constraint is not the lower bound")


def _check_form(certificate):
    names = [row.name for row in certificate.constraints]
    if len(set(names)) != len(names) or len(set(certificate.variables)) != len(certificate.variables):
        raise RefusedCertificateError("a name is given twice")
    indices = {x for row in certificate.constraints for x in row.terms} | certificate.objective.keys()
    if not indices <= set(range(len(certificate.variables))):
        raise RefusedCertificateError("a variable that there is not")
    if any(len(row.terms) != 1 for row in certificate.constraints[: certificate.n_bounds]):
        raise RefusedCertificateError("a bound of more than one variable")


def _combination(known, multipliers):
    """Combine constraints; all that are not equalities must point the same way."""
    terms, rhs, sense = {}, Fraction(0), "E"
    for index, m in multipliers.items():
        row = known[index]
        if row.sense != "E":
            if (row.sense == "G") != (m > 0):
                raise RefusedCertificateError(f"the multiplier of {row.name} has the wrong sign")
            sense = "G"
        rhs += m * row.rhs
        for x, c in row.terms.items():
            terms[x] = terms.get(x, 0) + m * c
    return Constraint("", sense, rhs, {x: c for x, c in terms.items() if c})
