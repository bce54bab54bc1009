"""Adult and Nursery: people of published files with several categorical attributes.

The domains are those of the data sets' own documentation, never what the private values happen to be. They stand in
its order.

B. Becker, R. Kohavi, *Adult*, UCI Machine Learning Repository, 1996: adult.data and adult.test together, and of them
the complete rows (those without a `?`), 45,222 of 48,842 (one source prints 45,422). The documentation has an eighth
workclass, Never-worked; those people have no occupation, so none of them is in a complete row, and seven are left.

V. Rajkovic, *Nursery*, UCI Machine Learning Repository, 1997: 12,960 rows, one for each combination of eight
attributes, and the class that an expert system gives it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign_catalog.datasets.counts.adult import ADULT, WIDTH
from mechdesign_catalog.datasets.items.table import ItemTable
from mechdesign_catalog.datasets.published import PublishedFile
from mechdesign_catalog.datasets.rows import numbered_rows

UNKNOWN = "?"


@dataclass(frozen=True)
class Attribute:
    """A column of the file, with the labels that its documentation lists."""

    name: str
    column: int
    labels: tuple[str, ...]


@dataclass(frozen=True)
class CategoricalFile:
    """Published files that make one table; `width` is the number of their columns."""

    name: str
    title: str
    width: int
    attributes: tuple[Attribute, ...]
    rows: int
    source: str
    files: Mapping[str, PublishedFile]

    def table(self, folder: Path | None = None) -> ItemTable:
        """Read all complete rows, in the order of the files.

        Raises:
            InputError: for a file that is missing or wrong, or a label that the documentation does not have.
        """
        return self.parse([(file.read(folder), file.file_name) for file in self.files.values()])

    def parse(self, contents: list[tuple[bytes, str]]) -> ItemTable:
        """Parse the files' contents, each given with its name.

        Raises:
            InputError: naming the row that does not fit.
        """
        codes = [code for content, source in contents for code in self._codes(content, source)]
        if not codes:
            raise InputError(f"{self.name} must have at least one complete row, got none")
        names, domains = zip(*((attribute.name, attribute.labels) for attribute in self.attributes), strict=True)
        return ItemTable(self.name, names, domains, np.array(codes, dtype=np.int64))

    def _codes(self, content: bytes, source: str) -> Iterator[list[int]]:
        code_of = [(a, a.column, {label: code for code, label in enumerate(a.labels)}) for a in self.attributes]
        for number, cells in complete_rows(content, self.width, source):
            codes = [codes.get(cells[column], -1) for _, column, codes in code_of]
            if -1 in codes:
                attribute = self.attributes[codes.index(-1)]
                raise InputError(
                    f"{attribute.name} must be one of {shorten(', '.join(attribute.labels), 200)}, "
                    f"got {shorten(cells[attribute.column]) or 'none'} in row {number} of {source}"
                )
            yield codes


def complete_rows(content: bytes, width: int, source: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row without a `?`, and its number.

    Raises:
        InputError: naming the row that does not have `width` cells.
    """
    for number, row in numbered_rows(content, width, source):
        cells = [cell.strip() for cell in row]
        if UNKNOWN not in cells:
            cells[-1] = cells[-1].removesuffix(".")  # of adult.test
            yield number, cells


NURSERY = {
    "nursery": PublishedFile(
        "nursery.data",
        "https://archive.ics.uci.edu/ml/machine-learning-databases/nursery/nursery.data",
        ("8e0389c3dd37590248a921c2726d869ee96b817761a35eb8416afa24f31f931d",),
    )
}


def _attributes(*listed: tuple[str, int, str]) -> tuple[Attribute, ...]:
    """Make attributes of their names, columns and labels, which have blanks between them."""
    return tuple(Attribute(name, column, tuple(labels.split())) for name, column, labels in listed)


ADULT_ATTRIBUTES = _attributes(
    ("workclass", 1, "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay"),
    (
        "education",
        3,
        "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th Masters 1st-4th "
        "10th Doctorate 5th-6th Preschool",
    ),
    (
        "marital-status",
        5,
        "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse",
    ),
    (
        "occupation",
        6,
        "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners "
        "Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv Armed-Forces",
    ),
    ("relationship", 7, "Wife Own-child Husband Not-in-family Other-relative Unmarried"),
    ("race", 8, "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black"),
    ("sex", 9, "Female Male"),
    (
        "native-country",
        13,
        "United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India Japan Greece "
        "South China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico Portugal Ireland France "
        "Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary Guatemala Nicaragua Scotland Thailand "
        "Yugoslavia El-Salvador Trinadad&Tobago Peru Hong Holand-Netherlands",
    ),
    ("income", 14, ">50K <=50K"),
)

NURSERY_ATTRIBUTES = _attributes(
    ("parents", 0, "usual pretentious great_pret"),
    ("has_nurs", 1, "proper less_proper improper critical very_crit"),
    ("form", 2, "complete completed incomplete foster"),
    ("children", 3, "1 2 3 more"),
    ("housing", 4, "convenient less_conv critical"),
    ("finance", 5, "convenient inconv"),
    ("social", 6, "nonprob slightly_prob problematic"),
    ("health", 7, "recommended priority not_recom"),
    ("class", 8, "not_recom recommend very_recom priority spec_prior"),
)

CATEGORICAL: dict[str, CategoricalFile] = {
    data.name: data
    for data in (
        CategoricalFile(
            "adult",
            "people of the 1994 census of the United States, complete rows of both files",
            WIDTH,
            ADULT_ATTRIBUTES,
            45_222,
            "B. Becker, R. Kohavi, Adult, UCI Machine Learning Repository, 1996, doi 10.24432/C5XW20",
            ADULT,
        ),
        CategoricalFile(
            "nursery",
            "applications to nursery schools, ranked by an expert system",
            len(NURSERY_ATTRIBUTES),
            NURSERY_ATTRIBUTES,
            12_960,
            "V. Rajkovic, Nursery, UCI Machine Learning Repository, 1997, doi 10.24432/C5P88W",
            NURSERY,
        ),
    )
}
