"""Parsers of the arguments of public functions, by their annotations.

Arguments are parsed before anything is opened, drawn or written.

An annotation says what a person may give. `checked` reads it once and refuses anything else by an `InputError` in a
line. So types are stated in one place, the signature, and no function asks for them again; what a value must be beyond
its type (a chance, a size, a known name) its own parser says. A class whose values people hand to a function of another
class says in `elsewhere` which function takes them. Numbers of numpy become Python's, and arrays get the type
of their annotation.
"""

import inspect
import numbers
import os
import types
import typing
from collections import abc
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from functools import cache, update_wrapper
from pathlib import Path
from typing import Annotated, Any, ParamSpec, TypeVar

from mechdesign.errors import InputError, quote

P = ParamSpec("P")
R = TypeVar("R")

LONGEST_WHOLE = 14_000
"""Bits of a whole number that a message can repeat; of any length are those of matrices, which are `LongWhole`."""

LongWhole = Annotated[int, "of any length"]

MOST_WAYS = 64
"""So many ways to call a function are remembered."""

SEVERAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

MOST_LOOKED_AT = 10_000
"""So many elements of a list are looked at; a longer one is parsed by its function."""

TEXT = "a text"
PATH = "the name of a file"
WHOLE = "a whole number"
NUMBER = "a number"


class _OtherTypeError(Exception):
    """A value is not of the type of an annotation."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function refuse arguments that its annotations exclude, each by an `InputError` in a line.

    >>> @checked
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> double(4)
    8
    >>> double("4")
    Traceback (most recent call last):
    mechdesign.errors.InputError: number must be a whole number, got '4'
    """
    parse = _Parser(function)

    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        given, named = parse(args, kwargs)
        return function(*given, **named)

    own = types.FunctionType(wrapper.__code__, function.__globals__, function.__name__, None, wrapper.__closure__)
    return update_wrapper(own, function)  # of its own module, so that its examples are found there


class _Parser:
    """The parser of one function's arguments."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.function = function
        self.signature = inspect.signature(function)
        self.hints: dict[str, Any] | None = None
        self.ways: dict[tuple[int, frozenset[str]], list[tuple[int | str, str, Any]]] = {}

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        shape = len(args), frozenset(kwargs)
        way = self.ways.get(shape)
        if way is None:
            way = self._way(args, kwargs)
            if len(self.ways) < MOST_WAYS:
                self.ways[shape] = way
        given: list[Any] = list(args)
        for key, name, hint in way:
            if isinstance(key, int):
                given[key] = parse_argument(given[key], hint, name)
            else:
                kwargs[key] = parse_argument(kwargs[key], hint, name)
        return tuple(given), kwargs

    def _way(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[int | str, str, Any]]:
        """List place or name, name and annotation of each argument, in the order of the signature.

        Arguments of as many places and the same names are bound alike, so that they are bound once.
        """
        if self.hints is None:
            self.hints = {name: _hint(one, self.function) for name, one in self.signature.parameters.items()}
        bound, parameters = self.signature.bind(*args, **kwargs), self.signature.parameters
        single = [name for name in bound.arguments if parameters[name].kind not in SEVERAL]
        typed = [(place if place < len(args) else name, name, self.hints[name]) for place, name in enumerate(single)]
        return [one for one in typed if one[2] is not Any]


def _hint(parameter: inspect.Parameter, function: Callable[..., object]) -> Any:
    """Return the annotation of a parameter; anything where it has none, or one that is there for checkers of types."""
    if parameter.annotation is parameter.empty or parameter.kind in SEVERAL:
        return Any
    holder = types.SimpleNamespace(__annotations__={"it": parameter.annotation})
    try:
        return typing.get_type_hints(holder, globalns=function.__globals__, include_extras=True)["it"]
    except NameError:
        return Any


def parse_fields(value: Any) -> None:
    """Parse the fields of a frozen dataclass by its annotations; errors as `checked`."""
    kind: Any = type(value)
    for field in fields(value):
        parsed = parse_argument(getattr(value, field.name), _field_hints(kind)[field.name], field.name)
        object.__setattr__(value, field.name, parsed)


@cache
def _field_hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind, include_extras=True)


def parse_argument(value: Any, hint: Any, name: str) -> Any:
    """Return a value as what its annotation says.

    Raises:
        InputError: for a value of another type, a path that no file can have, or a text that nobody can write.
    """
    try:
        return _parsed(value, hint)
    except _OtherTypeError as refused:
        also = f" ({refused})" if str(refused) else getattr(type(value), "elsewhere", "")
        raise InputError(f"{name} must be {describe(hint)}, got {quote(value)}{also}") from None


def _parsed(value: Any, hint: Any) -> Any:
    return _parser_of(hint)(value)


@cache
def _parser_of(hint: Any) -> Callable[[Any], Any]:
    """Read an annotation once: the function that parses what it allows."""
    if hint is LongWhole:
        return _as_long_whole
    origin, hints = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return lambda value: _first(value, hints)
    if origin is typing.Literal:
        return lambda value: value if value in hints else _refuse()
    if origin in _SCALARS:
        return _SCALARS[origin]
    if _is_array_type(origin):
        return lambda value: _as_array(value, hint)
    if origin in (abc.Iterable, abc.Sequence, abc.Collection, list, tuple, frozenset, set):
        return lambda value: _as_list(value, origin, hints)
    if origin is abc.Callable:
        return lambda value: value if callable(value) else _refuse()
    if not isinstance(origin, type) or origin is object:
        return _SCALARS[Any]
    if getattr(origin, "_is_protocol", False) and not getattr(origin, "_is_runtime_protocol", False):
        return _SCALARS[Any]
    return lambda value: value if isinstance(value, origin) else _refuse()


def _refuse(why: str = "") -> typing.NoReturn:
    raise _OtherTypeError(why)


def _first(value: Any, hints: tuple[Any, ...]) -> Any:
    """Parse by the first annotation that fits; a text is a path where it may be one."""
    if value is None and type(None) in hints:
        return None
    if Path in hints and isinstance(value, str | os.PathLike):
        return _as_path(value)
    for hint in _numbers_last(hints):
        try:
            return _parsed(value, hint)
        except _OtherTypeError as refused:
            why = str(refused)
    _refuse(why)


@cache
def _numbers_last(hints: tuple[Any, ...]) -> tuple[Any, ...]:
    """Order annotations so that a Fraction stays one."""
    return tuple(sorted(hints, key=lambda hint: hint in (int, float)))


def _as_truth(value: Any) -> bool:
    is_truth = isinstance(value, bool) or (_is_array(value) and value.ndim == 0 and value.dtype.kind == "b")
    return bool(value) if is_truth else _refuse()


def _as_whole(value: Any) -> int:
    whole = _as_long_whole(value)
    return whole if whole.bit_length() <= LONGEST_WHOLE else _refuse("too long")


def _as_long_whole(value: Any) -> int:
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    return int(value) if is_whole else _refuse()


def _as_float(value: Any) -> Any:
    number: Any = value
    if not isinstance(value, numbers.Real) or isinstance(value, bool | Fraction) or value != value:
        _refuse()
    try:
        float(value)
    except OverflowError:
        _refuse("beyond the largest float")
    return number.item() if _is_array(number) else number


def _as_rational(value: Any) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(_as_long_whole(value))


def _as_text(value: Any) -> str:
    if not isinstance(value, str):
        _refuse()
    try:
        value.encode(errors="surrogateescape")  # a name of a file may be in no encoding
    except UnicodeEncodeError:
        _refuse("it has half a letter")
    return value


def _as_path(value: Any) -> Any:
    """Take the name of a file that may be there, or be made."""
    if not isinstance(value, str | os.PathLike):
        _refuse()
    try:
        if isinstance(os.fspath(value), bytes):
            _refuse()
        os.lstat(value)
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        if not isinstance(error, NotADirectoryError | PermissionError):  # whoever opens it says which
            _refuse("the system takes no such name")
    return value


def _is_array_type(origin: Any) -> bool:
    return (getattr(origin, "__module__", ""), getattr(origin, "__name__", "")) == ("numpy", "ndarray")


def _is_array(value: Any) -> bool:
    """Return whether this is an array, or a scalar, of numpy, without importing it."""
    return type(value).__module__ == "numpy" and hasattr(value, "dtype")


def _as_array(value: Any, hint: Any) -> Any:
    """Make an array of the type of an annotation: of whole numbers, of floats or of any."""
    import numpy as np

    if not isinstance(value, np.ndarray | list | tuple):
        _refuse()
    kind = next((one for part in typing.get_args(hint)[1:] for one in typing.get_args(part)), Any)
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError):
        _refuse("its rows are of different lengths")
    if not (isinstance(kind, type) and issubclass(kind, np.number)):
        return array
    allowed = "iu" if issubclass(kind, np.integer) else "iuf"
    if array.size and array.dtype.kind not in allowed:
        _refuse(f"it holds {array.dtype}")
    if allowed == "iu" and array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        _refuse("beyond 64 bits")
    return array.astype(kind, copy=False)


def _as_list(value: Any, origin: Any, hints: tuple[Any, ...]) -> Any:
    """Take several values, and look at each where they can be looked at twice."""
    if isinstance(value, str | bytes | bytearray | memoryview | abc.Mapping) or not isinstance(value, abc.Iterable):
        _refuse()
    array: Any = value if _is_array(value) else None
    if array is not None and (array.ndim == 0 or array.dtype.names):
        _refuse()
    if not isinstance(value, list | tuple):
        if array is not None and array.size > MOST_LOOKED_AT:
            return value
        if isinstance(value, abc.Iterator):
            return value if origin is abc.Iterable else _refuse()
        if origin is not abc.Iterable and isinstance(value, abc.Set):
            _refuse()
        value = value.tolist() if hasattr(value, "tolist") else list(value)
    if not hints or _cells(value) > MOST_LOOKED_AT:
        return value
    each = hints if origin is tuple and Ellipsis not in hints else (hints[0],) * len(value)
    if len(each) != len(value):
        _refuse()
    return type(value)(map(_parsed, value, each)) if type(value) in (list, tuple) else value


def _cells(value: Any) -> int:
    """Count the elements of a list, or of rows as long as the first."""
    return len(value) * max(1, len(value[0]) if value and isinstance(value[0], list | tuple) else 1)


_SCALARS: dict[Any, Callable[[Any], Any]] = {
    Any: lambda value: value,
    type(None): lambda value: None if value is None else _refuse(),
    bool: _as_truth,
    int: _as_whole,
    float: _as_float,
    Fraction: _as_rational,
    str: _as_text,
    Path: _as_path,
}


def describe(hint: Any) -> str:
    """Say in words what an annotation takes.

    >>> describe(int | None), describe(str | Path), describe(int | float | str | Fraction)
    ('a whole number or None', 'the name of a file', 'a number')
    """
    if hint is LongWhole:
        return WHOLE
    origin = typing.get_origin(hint) or hint
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_alternatives(typing.get_args(hint)))
    if origin is typing.Literal:
        return " or ".join(map(quote, typing.get_args(hint)))
    words: dict[Any, str] = {
        type(None): "None",
        bool: "True or False",
        int: WHOLE,
        float: NUMBER,
        Fraction: "a fraction",
        str: TEXT,
    }
    words |= {Path: PATH, abc.Callable: "a function"}
    if origin in words:
        return words[origin]
    if _is_array_type(origin):
        return "an array of numbers"
    if origin in (abc.Iterable, abc.Sequence, abc.Collection, list, tuple, frozenset, set):
        return "a list"
    return _article(getattr(origin, "__name__", str(origin)))


def _alternatives(hints: tuple[Any, ...]) -> list[str]:
    """Name what may be given, with one word for the types of a number and of a path."""
    kinds = [hint for hint in hints if hint is not type(None)]
    words = []
    if {int, float, str, Fraction} <= set(kinds):
        kinds = [kind for kind in kinds if kind not in (int, float, str, Fraction)]
        words.append(NUMBER)
    if Path in kinds:
        kinds = [kind for kind in kinds if kind not in (str, Path)]
        words.append(PATH)
    words += map(describe, kinds)
    return list(dict.fromkeys(words + ["None"] * (type(None) in hints)))


def _article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
