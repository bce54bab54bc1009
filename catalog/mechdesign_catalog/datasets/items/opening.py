"""Data sets of items, by name."""

from pathlib import Path

from mechdesign.documents.files import FilePath
from mechdesign.errors import InputError, shorten
from mechdesign.names import nearest_name, require_known
from mechdesign_catalog.datasets.counts.laws import COUNT_LAWS
from mechdesign_catalog.datasets.counts.opening import REAL
from mechdesign_catalog.datasets.items.categorical import CATEGORICAL
from mechdesign_catalog.datasets.items.commuting import SETS as COMMUTING
from mechdesign_catalog.datasets.items.commuting import draw_commuting
from mechdesign_catalog.datasets.items.contingency import CONTINGENCIES
from mechdesign_catalog.datasets.items.counts import ItemCounts
from mechdesign_catalog.datasets.items.descriptions import UNAVAILABLE
from mechdesign_catalog.datasets.items.joint.law import draw_table
from mechdesign_catalog.datasets.items.joint.registry import FORMS as JOINT_FORMS
from mechdesign_catalog.datasets.items.joint.registry import JOINT_LAWS, parse_joint_law, split_attribute
from mechdesign_catalog.datasets.items.ordered import ORDERED
from mechdesign_catalog.datasets.items.synthetic import ITEM_LAWS, draw_items, parse_item_law
from mechdesign_catalog.datasets.items.table import ItemTable

TABLES = (*CONTINGENCIES, *CATEGORICAL, *JOINT_LAWS)
"""Sets whose users have several attributes."""

ALIASES = {"commuting": "commuting:county", "adult:hours": "adult:hours-per-week"}
KNOWN = (*TABLES, *ORDERED, *COMMUTING, *ITEM_LAWS)
WITH_PEOPLE = (*ITEM_LAWS, *JOINT_LAWS)


def open_items(
    name: str,
    *,
    k: int | None = None,
    people: int | None = None,
    seed: int | None = None,
    data_dir: FilePath | None = None,
) -> ItemCounts:
    """Open a data set of items by its name: how many users have each; case does not matter.

    Args:
        name: titanic, ucb, hair-eye (all their attributes as one, or one: titanic:class), adult:ATTRIBUTE,
            nursery:ATTRIBUTE, commuting:county and so on, or a law: normal, uniform, constant, zipf:S, cauchy:P,
            mixture, timeseries:taxi, checkins; of rows taxi, films, skewed:S (all attributes as one, or one: taxi:tip).
        k: how many items a law has, 32 by default; timeseries and checkins have their own number.
        people: how many people a law has, 10,000 by default; timeseries, checkins and laws of rows have their own
            number.
        seed: makes laws and commuting reproducible; the others need none.
        data_dir: the folder of the files of adult and nursery; else MECHDESIGN_DATA names it; else fetched once.

    Raises:
        InputError: for an unknown name, with the nearest known one, a set that is not available here, an option that
            does not go with the set, or files that are missing or wrong.
    """
    word = ALIASES.get(name.strip().lower(), name.strip().lower())
    law = parse_item_law(word)
    if k is not None and law is None:
        raise InputError(f"k goes with {', '.join(ITEM_LAWS)}, got k={k} with {shorten(word)}")
    if people is not None and law is None and _table_of(word) not in JOINT_LAWS:
        raise InputError(f"people goes with {', '.join(WITH_PEOPLE)}, got people={people} with {shorten(word)}")
    if data_dir is not None and _table_of(word) not in CATEGORICAL:
        raise InputError(
            f"data_dir goes with {' and '.join(CATEGORICAL)}, got data_dir={data_dir} with {shorten(word)}"
        )
    if law is not None:
        return draw_items(law, k, people, seed)
    if word in ORDERED:
        return ORDERED[word].counts(None if data_dir is None else Path(data_dir))
    if _table_of(word) in JOINT_LAWS:
        text, attribute = split_attribute(word)
        drawn = open_item_table(text, people=people, seed=seed)
        return drawn.joint() if attribute is None else drawn.attribute(attribute)
    if _table_of(word) in TABLES:
        table = open_item_table(_table_of(word), data_dir=data_dir)
        numbers = [name.partition(":")[2] for name in ORDERED if _table_of(name) == table.name]
        return table.attribute(word.partition(":")[2], numbers) if ":" in word else table.joint()
    require_available(word)
    return draw_commuting(require_known(word, KNOWN, "data"), seed)


def open_item_table(
    name: str, *, people: int | None = None, seed: int | None = None, data_dir: FilePath | None = None
) -> ItemTable:
    """Open a data set with several attributes of each user.

    Args:
        name: titanic, ucb, hair-eye, adult, nursery, or a law: taxi (8 bits; taxi:d=16 repeats them), films (17
            genres), skewed:S (8 bits by a Zipf law).
        people: how many people a law has, 2^18 by default.
        seed: makes laws reproducible; the others need none.
        data_dir: as for `open_items`.

    Raises:
        InputError: as `open_items`.
    """
    word = name.strip().lower()
    require_available(word)
    if (law := parse_joint_law(word)) is not None:
        if data_dir is not None:
            raise InputError(f"data_dir goes with {' and '.join(CATEGORICAL)}, got data_dir={data_dir} with {word}")
        return draw_table(law, people, seed)
    word = require_known(word, (*CONTINGENCIES, *CATEGORICAL, *JOINT_FORMS), "data with several attributes")
    for option, value in (("people", people), ("seed", seed)):
        if value is not None:
            raise InputError(f"{option} goes with {', '.join(JOINT_LAWS)}, got {option}={value} with {word}")
    folder = None if data_dir is None else Path(data_dir)
    return CATEGORICAL[word].table(folder) if word in CATEGORICAL else CONTINGENCIES[word].table()


def means_items(name: str) -> bool:
    """Return whether a name that could be either is of items rather than of groups of people (`open_data`).

    `adult:sex` is, `adult` is not; `uniform`, `zipf` and `constant:C` are laws of both, and count as of groups. A name
    that nobody knows goes where the nearest known one is.
    """
    word = name.strip().lower()
    stem, colon, _ = word.partition(":")
    of_groups = {text.partition(":")[0] for text in (*REAL, *COUNT_LAWS)}
    of_items = {text.partition(":")[0] for text in (*KNOWN, *UNAVAILABLE)}
    if stem in of_groups:
        return bool(colon) and stem in TABLES
    near = nearest_name(stem, sorted(of_groups | of_items))
    return stem in of_items or (not Path(name).is_file() and near is not None and near not in of_groups)


def is_drawn(name: str) -> bool:
    """Return whether a set of items is drawn at random, so that a seed makes it again."""
    word = name.strip().lower()
    return parse_item_law(word) is not None or _table_of(word) in (*JOINT_LAWS, "commuting")


def require_available(word: str) -> None:
    """Refuse the sets that cannot be had here."""
    if word in UNAVAILABLE:
        raise InputError(f"data must be available, got {word}, of which no copy could be had")


def _table_of(word: str) -> str:
    return word.partition(":")[0]
