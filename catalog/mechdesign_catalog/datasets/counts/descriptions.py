"""Descriptions of the data sets of counts: size, source, licence, and how to get them."""

from dataclasses import dataclass

from mechdesign_catalog.datasets.counts.adult import ADULT, TARGETS
from mechdesign_catalog.datasets.counts.histograms import HISTOGRAMS
from mechdesign_catalog.datasets.counts.synthetic import USUAL_PEOPLE
from mechdesign_catalog.datasets.published import FOLDER_VARIABLE, PublishedFile


@dataclass(frozen=True)
class DataEntry:
    """A data set, or one kind of them.

    `name` is how it is asked for; `files` are those that it is read from; `kind` says whether it has `counts` of groups
    or `items` of users; `n` is its only group size. `opened_as` is a name that opens it, or one of its kind, as it
    stands: None where there is none.
    """

    name: str
    title: str
    size: str
    source: str
    licence: str
    obtained: str
    files: tuple[PublishedFile, ...] = ()
    kind: str = "counts"
    n: int | None = None
    opened_as: str | None = None

    @property
    def address(self) -> str | None:
        """Where the first of its files is published."""
        return self.files[0].address if self.files else None

    def entry(self) -> dict[str, str | None]:
        """Return what it is as JSON documents have it."""
        cells = ("name", "title", "size", "source", "licence", "obtained", "address")
        return {cell: getattr(self, cell) for cell in cells}

    @property
    def is_here(self) -> bool:
        """Whether it can be opened without a network."""
        return self.opened_as is not None and all(file.is_here() for file in self.files)


def entries() -> tuple[DataEntry, ...]:
    """List all data sets of counts: real ones, synthetic ones, and files of one's own."""
    return (*map(_adult, ADULT), *map(_histogram, HISTOGRAMS), *SYNTHETIC, OWN_FILE)


def find_entry(name: str) -> DataEntry | None:
    """Find the description of a real data set; None for any other."""
    return next((entry for entry in entries() if entry.name == name.split(",")[0]), None)


def _adult(name: str) -> DataEntry:
    people, half = (32_561, "first") if name == "adult" else (16_281, "second")
    file = ADULT[name]
    return DataEntry(
        name,
        f"people of the 1994 census of the United States, the {half} of two files; targets {', '.join(TARGETS)}",
        f"{people:,} people, any n",
        "B. Becker, R. Kohavi, Adult, UCI Machine Learning Repository, 1996, doi 10.24432/C5XW20",
        "Creative Commons Attribution 4.0 International",
        f"fetched once from the UCI archive; or from a folder with {file.file_name} (--data-dir, {FOLDER_VARIABLE})",
        (file,),
        opened_as=name,
    )


def _histogram(name: str) -> DataEntry:
    data = HISTOGRAMS[name]
    size = f"{data.size:,} {data.unit}, n = {data.n}"
    return DataEntry(
        name, data.title, size, data.source, data.licence, "comes with the package", n=data.n, opened_as=name
    )


def _synthetic(name: str, title: str, law: str, opened_as: str) -> DataEntry:
    size = f"{USUAL_PEOPLE:,} people or --people, any n"
    return DataEntry(
        name, title, size, law, "none needed", "drawn when asked for; --seed repeats it", opened_as=opened_as
    )


SYNTHETIC = (
    _synthetic("binomial:P", "each person is 1 with chance P", "Pr[j] = C(n,j) P^j (1-P)^(n-j)", "binomial:0.2"),
    _synthetic("uniform", "every count is as likely", "Pr[j] = 1/(n+1)", "uniform"),
    _synthetic(
        "zipf", "small counts are likely; zipf:S for another exponent", "Pr[j] proportional to 1/(j+1)^S, S = 1", "zipf"
    ),
    _synthetic("constant:C", "every group has the count C", "Pr[C] = 1", "constant:1"),
    DataEntry(
        "FILE",
        "counts by a law of your own",
        f"{USUAL_PEOPLE:,} people or --people, its own n",
        "a file of n + 1 probabilities that sum to exactly 1",
        "yours",
        "drawn when asked for; --seed repeats it",
    ),
)

OWN_FILE = DataEntry(
    "--input FILE",
    "a CSV file of your own, with a header",
    "a million rows are fine",
    "--bit COLUMN (0 or 1 for each person, with --group-size N or --group COLUMN), or --column COLUMN (counts)",
    "yours",
    "read where it is",
)
