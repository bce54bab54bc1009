"""Describe the data sets of counts: their size, their source, their licence, and how to get them."""

from dataclasses import dataclass

from mechdesign_catalog.datasets.counts.adult import ADULT, TARGETS
from mechdesign_catalog.datasets.counts.histograms import HISTOGRAMS
from mechdesign_catalog.datasets.counts.synthetic import USUAL_PEOPLE
from mechdesign_catalog.datasets.published import FOLDER_VARIABLE


@dataclass(frozen=True)
class DataEntry:
    """Describe a data set, or one kind of them: `name` is how it is asked for, `address` where it is published."""

    name: str
    title: str
    size: str
    source: str
    licence: str
    obtained: str
    address: str | None = None


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
        file.address,
    )


def _histogram(name: str) -> DataEntry:
    data = HISTOGRAMS[name]
    size = f"{data.size:,} {data.unit}, n = {data.n}"
    return DataEntry(name, data.title, size, data.source, data.licence, "comes with the package")


def _synthetic(name: str, title: str, law: str) -> DataEntry:
    size = f"{USUAL_PEOPLE:,} people or --people, any n"
    return DataEntry(name, title, size, law, "none needed", "drawn when asked for; --seed repeats it")


SYNTHETIC = (
    _synthetic("binomial:P", "each person is 1 with chance P", "Pr[j] = C(n,j) P^j (1-P)^(n-j)"),
    _synthetic("uniform", "every count is as likely", "Pr[j] = 1/(n+1)"),
    _synthetic(
        "zipf", "small counts are likely; zipf:S for another exponent", "Pr[j] proportional to 1/(j+1)^S, S = 1"
    ),
    _synthetic("constant:C", "every group has the count C", "Pr[C] = 1"),
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
