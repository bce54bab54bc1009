"""Lists and ranges of numbers, a:b:step, as sweeps and comparisons take them."""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeVar

from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy, missing_privacy
from mechdesign.rational import Number, as_rational

T = TypeVar("T")
MOST_VALUES = 10_000
"""Of one range: a typing slip such as 2:64:0.001 should not start a year of work."""


def parse_numbers(numbers: Number | Iterable[Number], name: str) -> tuple[Fraction, ...]:
    """Parse numbers from a text of numbers and ranges `a:b:step`, or take a number or several as they are.

    A range includes b; `a:b` takes steps of 1.

    >>> [str(value) for value in parse_numbers("1/2:3/4:1/8,0.9", "alpha")]
    ['1/2', '5/8', '3/4', '9/10']
    """
    if isinstance(numbers, str):
        return each_once(value for word in numbers.split(",") for value in _parse_word(word.strip(), name))
    several = numbers if isinstance(numbers, Iterable) else [numbers]
    return each_once(as_rational(value, name) for value in several)


def _parse_word(word: str, name: str) -> Sequence[Fraction]:
    parts = [as_rational(part, name) for part in word.split(":")]
    if len(parts) == 1:
        return parts
    if len(parts) > 3:
        raise InputError(f"{name} must be numbers and ranges a:b:step (2:8:2,16), got {name}={word}")
    first, last, step = (*parts, Fraction(1))[:3]
    if step <= 0 or last < first:
        raise InputError(f"{name} range a:b:step must have a <= b and a positive step, got {name}={word}")
    count = (last - first) // step + 1
    if count > MOST_VALUES:
        raise InputError(f"{name} must have at most {MOST_VALUES} values, got more in {name}={word}")
    return [first + k * step for k in range(count)]


def _whole(value: Fraction, name: str) -> int:
    if value.denominator != 1:
        raise InputError(f"{name} must be an integer of at least 1, got {name}={value}")
    return value.numerator


def parse_sizes(sizes: int | str | Iterable[int], name: str) -> tuple[int, ...]:
    """Parse whole numbers from a text of numbers and ranges, or take a number or several as they are."""
    if isinstance(sizes, str) and not re.fullmatch(r" *[-+]?[0-9]+ *([:,] *[-+]?[0-9]+ *)*", sizes):
        raise InputError(f"{name} must be whole numbers and ranges a:b:step (2:8:2,16), got {name}={shorten(sizes)}")
    return each_once(_whole(value, name) for value in parse_numbers(sizes, name))


def parse_privacies(
    alpha: Number | Iterable[Number] | None, epsilon: Number | Iterable[Number] | None
) -> tuple[Privacy, ...]:
    """Parse privacy parameters from numbers and ranges; exactly one of the two is given.

    >>> [str(privacy) for privacy in parse_privacies(None, "0.5:1.5:0.5")]
    ['epsilon=1/2', 'epsilon=1', 'epsilon=3/2']
    """
    if alpha is not None and epsilon is None:
        return each_once(Privacy(alpha=value) for value in parse_numbers(alpha, "alpha"))
    if epsilon is not None and alpha is None:
        return each_once(Privacy(epsilon=value) for value in parse_numbers(epsilon, "epsilon"))
    raise missing_privacy("neither" if alpha is None else "both")


def each_once(values: Iterable[T]) -> tuple[T, ...]:
    """Return the values without repetitions, in the order in which they first come."""
    return tuple(dict.fromkeys(values))
