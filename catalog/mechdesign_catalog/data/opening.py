"""A data set by its name."""

import difflib
from pathlib import Path

from mechdesign import InputError
from mechdesign.files import read_weights
from mechdesign_catalog.data.grouped import DataSet
from mechdesign_catalog.data.histograms import HISTOGRAMS
from mechdesign_catalog.data.laws import LAWS, Law, parse_law, table_law
from mechdesign_catalog.data.synthetic import PEOPLE, Synthetic

REAL = tuple(HISTOGRAMS)


def open_data(
    name: str,
    *,
    target: str | None = None,
    people: int | None = None,
    seed: int | None = None,
    data_dir: Path | None = None,
) -> DataSet:
    """The data set of that name, or of that file of probabilities; case does not matter.

    Args:
        name: saxony, weldon; binomial:P, uniform, zipf, zipf:S, constant:C; or a file of probabilities.
        people: how many people a synthetic set has, 10,000 by default.
        seed: makes a synthetic set reproducible; real ones need none.

    Raises:
        InputError: for an unknown name, with the nearest known one, or an option that does not go with the set.
    """
    word = name.strip().lower()
    if word in HISTOGRAMS:
        _refuse(name, "people", people, "synthetic data")
        _refuse(name, "target", target, "adult")
        _refuse(name, "data_dir", data_dir, "adult")
        return HISTOGRAMS[word]
    law = parse_law(name) or _from_file(name)
    _refuse(name, "target", target, "adult")
    _refuse(name, "data_dir", data_dir, "adult")
    return Synthetic(law, PEOPLE if people is None else people, seed)


def _refuse(name: str, option: str, value: object, owner: str) -> None:
    if value is not None:
        raise InputError(f"{option} goes with {owner}, got {option}={value} with {name}")


def _from_file(name: str) -> Law:
    path = Path(name)
    if not path.is_file() and (":" in name or not path.suffix):
        raise _unknown(name)
    return table_law(name, read_weights(path))


def _unknown(name: str) -> InputError:
    known = [*REAL, *LAWS]
    words = {text.partition(":")[0]: text for text in reversed(known)}
    near = difflib.get_close_matches(name.partition(":")[0].lower(), words, n=1, cutoff=0.5)
    hint = f"; did you mean {words[near[0]]}?" if near else ""
    return InputError(f"data must be one of {', '.join(known)} or a file of probabilities, got {name[:80]}{hint}")
