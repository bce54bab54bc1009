"""Data sets of counts, by name."""

from pathlib import Path

from mechdesign.arguments import parse_argument
from mechdesign.documents.files import FilePath, read_weights
from mechdesign.errors import InputError
from mechdesign.names import require_known
from mechdesign_catalog.datasets.counts.adult import ADULT, open_adult
from mechdesign_catalog.datasets.counts.grouped import DataSet
from mechdesign_catalog.datasets.counts.histograms import HISTOGRAMS
from mechdesign_catalog.datasets.counts.laws import COUNT_LAWS, Law, parse_law, table_law
from mechdesign_catalog.datasets.counts.synthetic import USUAL_PEOPLE, Synthetic

REAL = (*ADULT, *HISTOGRAMS)


def open_data(
    name: str,
    *,
    target: str | None = None,
    people: int | None = None,
    seed: int | None = None,
    data_dir: FilePath | None = None,
) -> DataSet:
    """Open a data set of counts by its name, or make one up by a file of probabilities; case does not matter.

    Args:
        name: adult, adult-test, saxony, weldon; binomial:P, uniform, zipf, zipf:S, constant:C; or a file of
            probabilities.
        target: which question adult answers: income (the default), sex or age.
        people: how many people a synthetic set has, 10,000 by default.
        seed: makes a synthetic set reproducible; real ones need none.
        data_dir: the folder of adult's files; else MECHDESIGN_DATA names it; else they are fetched once.

    Raises:
        InputError: for an unknown name, with the nearest known one, or an option that does not go with the set.
    """
    word = name.strip().lower()
    synthetic = (
        None
        if word in REAL
        else Synthetic(parse_law(name) or _from_file(name), USUAL_PEOPLE if people is None else people, seed)
    )
    if synthetic is None and people is not None:
        raise InputError(f"people goes with synthetic data, got people={people} with {word}")
    if word in ADULT:
        return open_adult(word, target, None if data_dir is None else Path(data_dir))
    for option, value in (("target", target), ("data_dir", data_dir)):
        if value is not None:
            raise InputError(f"{option} goes with {' and '.join(ADULT)}, got {option}={value} with {word}")
    return HISTOGRAMS[word] if synthetic is None else synthetic


def _from_file(name: str) -> Law:
    path: Path = parse_argument(Path(name), Path, "data")
    if not path.is_file() and (":" in name or not path.suffix):
        require_known(name, (*REAL, *COUNT_LAWS), "data", ["a file of probabilities"])
    return table_law(name, read_weights(path))
