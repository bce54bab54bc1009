"""Parse the parts that all documents have: objects of known keys, lists, texts, exact numbers and times."""

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from mechdesign.documents.json_text import json_number, require_numbers
from mechdesign.errors import InputError, quote
from mechdesign.problem.privacy import Privacy
from mechdesign.program.clock import Seconds
from mechdesign.rational import fraction_from_text

SECONDS = ("solve", "certify", "verify")
T = TypeVar("T")


def require_format(data: object, forms: Collection[str], name: str, source: str) -> dict[str, Any]:
    """Return a JSON object of one of some formats, and refuse everything else."""
    got = data.get("format") if isinstance(data, dict) else type(data).__name__
    if not isinstance(data, dict) or type(got) is not str or got not in forms:
        *others, last = (f'"{form}"' for form in forms)
        wanted = f"{', '.join(others)} or {last}" if others else last
        raise InputError(f"file must be a {name} (format {wanted}), got {str(got)[:60]!r} in {source}")
    require_numbers(data.get("x"))
    return data


def require_keys(entry: object, name: str, keys: Collection[str], optional: Collection[str] = ()) -> None:
    """Refuse what is no JSON object with exactly these keys, the optional ones aside."""
    if not isinstance(entry, dict):
        raise InputError(f"{name} must be a JSON object, got {quote(entry)}")
    for key in keys:
        if key not in entry:
            raise InputError(f"{name} must have the key {key!r}, got none")
    for key in entry:
        if key not in keys and key not in optional:
            raise InputError(f"{name} must have no other keys than those of FORMAT.md, got {quote(key)}")


BY_EPSILON = ("bound_alpha", "asked_epsilon")
"""The keys of a problem that was asked by epsilon."""


def parse_privacy(entry: Mapping[str, Any]) -> Privacy:
    """Parse the alpha of a problem, or the epsilon that was asked for with the rationals around it."""
    alpha = fraction_from_text(entry["alpha"], "alpha")
    if BY_EPSILON[0] not in entry:
        return Privacy(alpha)
    bound, epsilon = (fraction_from_text(entry[key], key) for key in BY_EPSILON)
    return Privacy.enclosed(epsilon, bound, alpha)


def parse_list(value: object, name: str, parse: Callable[[object], T]) -> tuple[T, ...]:
    """Parse every item of a list."""
    if not isinstance(value, list):
        raise InputError(f"{name} must be a list, got {quote(value)}")
    return tuple(parse(item) for item in value)


def parse_text(value: object, name: str) -> str:
    """Return a text that is not empty."""
    if type(value) is not str or not value:
        raise InputError(f"{name} must be a text that is not empty, got {quote(value)}")
    return value


def parse_different_texts(value: object, name: str) -> tuple[str, ...]:
    """Parse a list of texts, none of which stands twice."""
    texts = parse_list(value, name, lambda item: parse_text(item, name))
    if len(set(texts)) < len(texts):
        raise InputError(f"{name} must have no text twice, got {quote(value)}")
    return texts


def parse_rationals(value: object, name: str) -> tuple[Fraction, ...]:
    """Parse a list of rationals, each written as a text."""
    return parse_list(value, name, lambda item: fraction_from_text(item, name))


def parse_exact(entry: Any, name: str) -> tuple[Fraction, Fraction]:
    """Parse an exact number and the decimals beside it."""
    require_keys(entry, name, ("exact", "value"))
    return fraction_from_text(entry["exact"], name), json_number(entry["value"], f"{name} value")


def parse_seconds(entry: Any) -> Seconds:
    """Parse the times of the three stages."""
    require_keys(entry, "seconds", SECONDS)
    times = [json_number(entry[key], f"seconds {key}") for key in SECONDS]
    if min(times) < 0:
        raise InputError(f"seconds must be at least 0, got {float(min(times)):.6g}")
    return Seconds(*(float(value) for value in times))
