"""Polynomials and rational functions as people write them: factored, the highest power first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mechdesign.formulas.ends import End
from mechdesign.formulas.pieces import RationalFunction
from mechdesign.formulas.polynomials import coefficients, from_coefficients
from mechdesign.rational import fraction_text, integer_text

WIDEST = 48
"""Letters of a range that its column may have; longer ones stand out."""

DIGITS = 6
"""Of an end that is not rational."""


@dataclass(frozen=True)
class Notation:
    """A way to write formulas: the variable, a power, and a quotient with its ends in brackets where they need them."""

    variable: str
    power: Callable[[int], str]
    quotient: Callable[[str, str, bool, bool], str]
    ascii_brackets: tuple[str, str]


def _plain_quotient(top: str, bottom: str, top_is_one: bool, bottom_is_one: bool) -> str:
    return f"{top if top_is_one else f'({top})'} / {bottom if bottom_is_one else f'({bottom})'}"


PLAIN = Notation("a", "^{}".format, _plain_quotient, ("(", ")"))
LATEX = Notation(
    r"\alpha", "^{{{}}}".format, lambda top, bottom, _, __: rf"\frac{{{top}}}{{{bottom}}}", (r"\left(", r"\right)")
)


def function_text(function: RationalFunction, notation: Notation = PLAIN) -> str:
    """Write a rational function with numerator and denominator factored, the latter with a positive first coefficient.

    >>> function_text(RationalFunction((-1, 3, 14), (0, 8, 8)))
    '(14a^2 + 3a - 1) / (8a(a + 1))'
    """
    sign = -1 if function.denominator[-1] < 0 else 1
    above, below = ([sign * value for value in values] for values in (function.numerator, function.denominator))
    top, bottom = _product(above, notation), _product(below, notation)
    if bottom == "1":
        return top
    return notation.quotient(top, bottom, _is_closed(above), _is_closed(below, last=True))


def _is_closed(values: Sequence[int], *, last: bool = False) -> bool:
    """Return whether the text of a product needs no brackets: above a line it is a sum alone that does."""
    content, factors = from_coefficients(values).factor()
    if last:
        return not factors or (len(factors) == 1 and content == 1 and coefficients(factors[0][0]) == (0, 1))
    return not (content == 1 and len(factors) == 1 and factors[0][1] == 1 and coefficients(factors[0][0]) != (0, 1))


def _product(values: Sequence[int], notation: Notation) -> str:
    content, factors = from_coefficients(values).factor()
    if content == 1 and len(factors) == 1 and factors[0][1] == 1:
        return sum_text(values, notation)
    left, right = notation.ascii_brackets
    texts = []
    for factor, power in sorted(factors, key=lambda one: one[0].degree() * 10_000 + (coefficients(one[0]) != (0, 1))):
        inner = coefficients(factor)
        one = notation.variable if inner == (0, 1) else f"{left}{sum_text(inner, notation)}{right}"
        texts.append(one + (notation.power(power) if power > 1 else ""))
    sign = "-" if content < 0 else ""
    number = "" if abs(content) == 1 and texts else integer_text(abs(int(content)))
    return sign + number + "".join(texts)


def sum_text(values: Sequence[int], notation: Notation = PLAIN) -> str:
    """Write a polynomial as a sum.

    >>> sum_text((-4, 3, 4))
    '4a^2 + 3a - 4'
    """
    terms = []
    for power in range(len(values) - 1, -1, -1):
        if values[power]:
            number = "" if abs(values[power]) == 1 and power else integer_text(abs(values[power]))
            letter = notation.variable + notation.power(power) if power > 1 else notation.variable * power
            terms.append(("-" if values[power] < 0 else "+", number + letter))
    if not terms:
        return "0"
    first = ("-" if terms[0][0] == "-" else "") + terms[0][1]
    return first + "".join(f" {sign} {term}" for sign, term in terms[1:])


def end_text(end: End, with_polynomial: bool = True) -> str:
    """Write an end: a fraction, or six digits and its polynomial."""
    if end.exact is not None:
        return fraction_text(end.exact)
    return f"{end.value:.{DIGITS}f}" + (f" ({sum_text(end.polynomial)})" if with_polynomial else "")


def ranges_text(ranges: Sequence[tuple[End, End]]) -> list[str]:
    """Write ranges; an end that two of them share has its polynomial once."""
    ends = [None, *(end for _, end in ranges)]
    return [
        f"{end_text(start, start != before)} .. {end_text(end)}"
        for before, (start, end) in zip(ends, ranges, strict=False)
    ]


def lines_text(lines: Sequence[Sequence[str]]) -> str:
    """Write lines in columns; a long range in the first one stands out."""
    columns = list(zip(*lines, strict=True))[:-1]
    widths = [max((len(text) for text in column if len(text) <= WIDEST), default=0) for column in columns]
    return "\n".join(
        "    ".join([*(f"{text:{width}}" for text, width in zip(line, widths, strict=False)), line[-1]])
        for line in lines
    )
