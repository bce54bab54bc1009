"""Laws over the true counts 0..n, by name; every probability is a rational.

- `binomial:P`: each of the n people is 1 with chance P, `Pr[j] = C(n,j) P^j (1-P)^(n-j)`.
- `uniform`: every count is as likely, `Pr[j] = 1/(n+1)`.
- `zipf:S`: small counts are likely, `Pr[j]` proportional to `1/(j+1)^S`; `zipf` is S = 1.
- `constant:C`: every group has the count C.
- a file of n + 1 probabilities that sum to exactly 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.errors import InputError, shorten
from mechdesign.problem.prior import Prior
from mechdesign.rational import as_rational, fraction_text, total

Weights = Sequence[Fraction]

MAX_EXPONENT = 20


@dataclass(frozen=True)
class Law:
    """A law over counts: `weights(n)` are the probabilities of 0..n; `own_n` is the only n it is made for, if any."""

    name: str
    weights: Callable[[int], Weights]
    own_n: int | None = None


COUNT_LAWS = ("binomial:P", "uniform", "zipf", "zipf:S", "constant:C")
"""How the laws are written."""


def parse_law(text: str) -> Law | None:
    """Parse the name of a law; None for a word that names none.

    Raises:
        InputError: for a law whose parameter is missing, superfluous or out of range.

    >>> [str(weight) for weight in parse_law("zipf").weights(2)]
    ['6/11', '3/11', '2/11']
    """
    word, colon, parameter = text.strip().partition(":")
    name = word.lower()
    if name in ("binomial", "constant") and not parameter:
        example = "binomial:0.1" if name == "binomial" else "constant:2"
        raise InputError(f"{name} must have its parameter, as in {example}, got {text}")
    if name == "binomial":
        return binomial_counts(parameter)
    if name == "uniform":
        if colon:
            raise InputError(f"uniform must have no parameter, got {text}")
        return Law("uniform", lambda n: Prior("uniform").weights(n + 1))
    if name == "zipf":
        return zipf_counts(parameter if colon else "1")
    if name == "constant":
        return constant_count(parameter)
    return None


def binomial_counts(chance: str) -> Law:
    """Make the binomial law: each person is 1 with the chance P in [0, 1], independently."""
    exact = as_rational(chance, "P of binomial:P")
    if not 0 <= exact <= 1:
        raise InputError(f"P of binomial:P must be in [0, 1], got P={chance}")
    name = f"binomial:{fraction_text(exact)}"
    return Law(name, lambda n: Prior(name, chance=exact).weights(n + 1))


def zipf_counts(exponent: str) -> Law:
    """Make the Zipf law: `1/(j+1)^S` for the count j, scaled to sum to 1; S in [0, 20].

    For a whole S the weights are exact. For any other S the powers are the floats nearest to them, and the law is
    those floats taken as the rationals that they are.
    """
    exact = as_rational(exponent, "S of zipf:S")
    if not 0 <= exact <= MAX_EXPONENT:
        raise InputError(f"S of zipf:S must be in [0, {MAX_EXPONENT}], got S={exponent}")

    def weights(n: int) -> Weights:
        if exact.denominator == 1:
            raw = [Fraction(1, (j + 1) ** int(exact)) for j in range(n + 1)]
        else:
            raw = [Fraction(float(j + 1) ** -float(exact)) for j in range(n + 1)]
        whole = total(raw)
        return [weight / whole for weight in raw]

    return Law("zipf" if exact == 1 else f"zipf:{fraction_text(exact)}", weights)


def constant_count(count: str) -> Law:
    """Make the law under which every group has the count C."""
    if not (count.isascii() and count.isdecimal() and len(count) <= 9):
        raise InputError(f"C of constant:C must be a whole number of at least 0, got C={shorten(count) or 'nothing'}")
    fixed = int(count)

    def weights(n: int) -> Weights:
        if fixed > n:
            raise InputError(f"C of constant:C must be at most n = {n}, got C={fixed}")
        return [Fraction(j == fixed) for j in range(n + 1)]

    return Law(f"constant:{fixed}", weights)


def table_law(name: str, probabilities: Weights) -> Law:
    """Make a law that is given outright, by a probability for each count 0..n.

    Raises:
        InputError: for less than two, a negative one, or a sum that is not exactly 1.
    """
    if len(probabilities) < 2:
        raise InputError(f"a file of probabilities must have n + 1 of them, at least 2, got {len(probabilities)}")
    try:
        table = Prior.from_weights(probabilities)
    except InputError as error:
        raise InputError(str(error).replace("prior weights", f"the probabilities in {name}")) from None
    return Law(name, lambda n: table.weights(n + 1), own_n=len(probabilities) - 1)
