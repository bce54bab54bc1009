"""Names of option and argument values in the help, where they have none of their own."""

from pathlib import Path
from typing import Any, get_args

from mechdesign_cli.record import Command, types_of

_NAMED = {
    "COLUMN": ("bit", "column", "group", "size", "unit_column", "user"),
    "COLUMNS": ("columns", "marginal"),
    "NAME": ("batch", "data", "dataset", "method", "model", "part", "post", "round_", "solver", "source", "target"),
    "NAMES": ("mechanisms", "metric", "metrics", "oracles"),
    "CONFIDENCE": ("confidence", "intervals"),
    "NUMBER": ("numbers", "budget", "fdr", "liars", "maximum", "tolerance"),
    "NUMBERS": ("attributes", "domains", "k", "n", "quantiles"),
    "WORD": ("aggregate", "beyond", "format", "simulate"),
    "PROPERTIES": ("properties",),
    "ADDRESS": ("cluster",),
    "FIRST:LAST:STEP": ("bins",),
    "FOLDER": ("data_dir", "folder", "release_folder"),
    "FILE": ("files",),
}
NAMES = {option: name for name, options in _NAMED.items() for option in options}
"""What the values of these are called; those of others are files, or have the name of the option."""


def name_values(record: type[Command], parameters: list[Any]) -> None:
    """Name the value of every parameter of a command that takes one and has no name for it."""
    hints = types_of(record)
    for parameter in parameters:
        takes_value = parameter.name in hints and not getattr(parameter, "is_flag", False)
        if takes_value and parameter.metavar is None:
            parameter.metavar = value_name(parameter.name, hints[parameter.name])


def value_name(parameter: str, hint: object) -> str:
    """Return what the help calls the value of a parameter of this type.

    >>> value_name("plot", Path | None), value_name("alpha", str), value_name("bit", str | None)
    ('FILE', 'ALPHA', 'COLUMN')
    """
    return NAMES.get(parameter) or ("FILE" if _is_path(hint) else parameter.strip("_").upper())


def _is_path(hint: object) -> bool:
    return hint is Path or any(map(_is_path, get_args(hint)))
