"""Descriptions of the data sets of items, as `mechdesign data` lists them."""

from dataclasses import replace

from mechdesign_catalog.datasets.counts.descriptions import DataEntry
from mechdesign_catalog.datasets.counts.synthetic import USUAL_PEOPLE
from mechdesign_catalog.datasets.items.categorical import CATEGORICAL
from mechdesign_catalog.datasets.items.commuting import SETS
from mechdesign_catalog.datasets.items.contingency import CONTINGENCIES
from mechdesign_catalog.datasets.items.joint.films import RARITY
from mechdesign_catalog.datasets.items.joint.law import PEOPLE as ROWS
from mechdesign_catalog.datasets.items.joint.skewed import ATTRIBUTES
from mechdesign_catalog.datasets.items.joint.taxi import BITS
from mechdesign_catalog.datasets.items.ordered import ORDERED, OrderedColumn
from mechdesign_catalog.datasets.items.series import CHECKINS, SERIES
from mechdesign_catalog.datasets.published import FOLDER_VARIABLE

DRAWN = "drawn when asked for; --seed repeats it"


def item_entries() -> tuple[DataEntry, ...]:
    """List all data sets of items; those that are not available come last."""
    return (
        *map(_contingency, CONTINGENCIES),
        *map(_categorical, CATEGORICAL),
        *map(_ordered, ORDERED.values()),
        *map(_commuting, SETS),
        *LAW_ENTRIES,
        *UNAVAILABLE.values(),
    )


def find_item_entry(name: str) -> DataEntry | None:
    """Find the description of a set, whichever of its attributes is asked for; None for a law."""
    word = name.strip().lower()
    stem = word.partition(":")[0]
    by_name = {entry.name: entry for entry in item_entries() if entry not in LAW_ENTRIES}
    return by_name.get(word) or by_name.get(stem) or by_name.get(f"{stem}:ATTRIBUTE")


def _contingency(name: str) -> DataEntry:
    data = CONTINGENCIES[name]
    attributes = ", ".join(f"{name}:{attribute}" for attribute in data.attributes)
    return DataEntry(
        name,
        f"{data.title}; also {attributes}",
        f"{data.users:,} users, k = {data.k}",
        data.source,
        data.licence,
        "comes with the package",
        kind="items",
        opened_as=name,
    )


def _categorical(name: str) -> DataEntry:
    data = CATEGORICAL[name]
    attributes = ", ".join(f"{attribute.name} ({len(attribute.labels)})" for attribute in data.attributes)
    files = " and ".join(file.file_name for file in data.files.values())
    return DataEntry(
        f"{name}:ATTRIBUTE",
        f"{data.title}; attributes {attributes}",
        f"{data.rows:,} users, k by attribute",
        data.source,
        "Creative Commons Attribution 4.0 International",
        f"fetched once from the UCI archive; or from a folder with {files} (--data-dir, {FOLDER_VARIABLE})",
        tuple(data.files.values()),
        kind="items",
        opened_as=f"{name}:{data.attributes[-1].name}",
    )


def _ordered(data: OrderedColumn) -> DataEntry:
    table = _categorical("adult")
    title = f"ordered: {data.title}, of the people of adult:ATTRIBUTE; {data.label(0)} to {data.label(data.k - 1)}"
    return replace(
        table,
        name=data.name,
        title=title,
        size=f"{CATEGORICAL['adult'].rows:,} users, k = {data.k:,}",
        opened_as=data.name,
    )


def _commuting(name: str) -> DataEntry:
    data = SETS[name]
    return DataEntry(
        name,
        data.title,
        f"{data.people:,} users, k = {data.pairs:,}",
        "a gravity model with the sizes of a census study, whose file is not public here",
        "none needed",
        DRAWN,
        kind="items",
        opened_as=name,
    )


def _law(name: str, title: str, law: str, size: str = f"{USUAL_PEOPLE:,} users or --people, k = 32") -> DataEntry:
    opened_as = name.partition(",")[0]
    return DataEntry(name, title, size, law, "none needed", DRAWN, kind="items", opened_as=opened_as)


def _series(name: str) -> DataEntry:
    data = SERIES[name]
    return _law(
        data.law.name,
        f"ordered: {data.title} in slots of {data.minutes} minutes; nights, rush hours, weekends, bursts",
        "a law of ours, with the sizes of a published series whose file does not come along",
        f"{data.users:,} users or --people, k = {data.slots:,}",
    )


JOINT_ENTRIES = tuple(
    _law(name, title, law, f"{ROWS:,} users or --people, {d} binary attributes")
    for name, title, law, d in (
        (
            "taxi, taxi:d=D",
            "trips: " + ", ".join(BITS) + "; also taxi:tip and so on. D above 8 repeats columns, and strong=R, weak=R, "
            "manhattan=R-R-R-R set the correlations",
            "a tree of ours with the facts that are printed of trips in New York: of all 0.55 begin and end in "
            "Manhattan, 0.15 begin there, 0.10 end there, 0.20 neither; three strong pairs, three nearly independent",
            len(BITS),
        ),
        (
            "films, films:d=D",
            "genres of which a user has seen a film, all pairs positively related: " + ", ".join(RARITY),
            "ours: activity u with density 2u, genre j with the probability u^c_j",
            len(RARITY),
        ),
        (
            "skewed, skewed:S, skewed:S:d=D",
            "lightly skewed bits bit_1, bit_2, ..",
            "tuple i of D bits is proportional to 1/(i+1)^S, S = 1/2",
            ATTRIBUTES,
        ),
    )
)

LAW_ENTRIES = (
    _law("normal", "items are hours: [0, 24] in k buckets", "mean 12, standard deviation 4 (ours), given [0, 24]"),
    _law(
        "uniform, constant, constant:C, zipf, zipf:S",
        "in comparisons of oracles: every item as likely, all users with one item, few popular items",
        "1/k; item C (noon if left out); proportional to 1/(i+1)^S, S = 1",
    ),
    _law(
        "cauchy, cauchy:P",
        "ordered: one long-tailed peak, as range queries are tested on",
        "Cauchy with centre P k and scale k/10, given [0, k]; P = 0.4",
    ),
    _law(
        "mixture",
        "ordered: three groups and a flat rest (ours)",
        "3/10 normal(k/4, k/40), 2/5 normal(11k/20, k/10), 1/5 normal(4k/5, k/100), each given [0, k]; 1/10 uniform",
    ),
    *JOINT_ENTRIES,
    *map(_series, SERIES),
    _law(
        CHECKINS.name,
        "ordered: check-ins by place, along a curve through 200 towns",
        "a law of ours, with the sizes of a published set whose file does not come along",
        f"{CHECKINS.people:,} users or --people, k = {CHECKINS.k:,}",
    ),
)

UNAVAILABLE = {
    name: DataEntry(name, title, size, source, "not known here", "not available: no copy was in reach", kind="items")
    for name, title, size, source in (
        ("ms-fimu", "visitors by mobile telephone records", "88,935 users, 6 attributes", "H. H. Arcolezi et al."),
        (
            "census-income",
            "people of the 1994 and 1995 surveys of the United States",
            "299,285 users, 33 categorical attributes",
            "UCI Machine Learning Repository, Census-Income (KDD), 2000",
        ),
    )
}
"""Sets of the multidimensional studies of which no copy was in reach; they are listed, and refused by name."""
