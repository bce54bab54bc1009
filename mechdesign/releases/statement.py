"""Write the privacy statement of a release from its record and nothing else, so that anybody can rebuild it."""

import textwrap
from fractions import Fraction

from mechdesign.counts.release import STATEMENT_WIDTH, privacy_sentences
from mechdesign.documents.document import Document
from mechdesign.problem.privacy import rounded_up
from mechdesign.problem.properties import ordered
from mechdesign.rational import number_text
from mechdesign.releases.errors import TypicalErrors
from mechdesign.releases.record import FIRST_FORMAT, ReleaseRecord, sizes_text


def statement(record: ReleaseRecord) -> str:
    """Write the statement, one paragraph a line."""
    one_size = record.sizes[0].size if len(record.sizes) == 1 else None
    paragraphs = [
        *privacy_sentences(record.alpha, one_size, record.groups, record.unit),
        _what_is_published(record),
        _units(record),
        _mechanism(record),
        *([] if record.format == FIRST_FORMAT else [_errors(record), *_intervals(record)]),
        f"Drawn on {record.date} (UTC) by mechdesign {record.version}. SHA-256 of the output: {record.output_digest}; "
        f"of the digests of all designs: {record.designs_digest}. {_input(record)}",
    ]
    if record.simulation:
        paragraphs.append("Seeded: a SIMULATION. Whoever knows the seed can undo the noise; do not publish it.")
    return "".join(f"{paragraph}\n" for paragraph in paragraphs)


def wrapped(text: str) -> str:
    """Fill the paragraphs of a statement to the width of a page."""
    return "".join(textwrap.fill(line, STATEMENT_WIDTH) + "\n" for line in text.splitlines())


def _what_is_published(record: ReleaseRecord) -> str:
    counted = f"The counts are of {record.column}"
    if record.group is not None:
        return (
            f"{counted}, one for each {record.group}. The names and the sizes of all groups are published exactly: "
            "which groups there are, and how many rows of the microdata each has, is not protected."
        )
    others = record.columns[:-1]
    if not others:
        return f"{counted}. The number of groups and the order of their rows are published exactly."
    return (
        f"{counted}. The number of groups, the order of their rows and these columns are published exactly and are not "
        f"protected: {', '.join(others)}."
    )


def _units(record: ReleaseRecord) -> str:
    if record.group is None:
        return "Who is counted in which group was not checked: the groups are as the table of counts has them."
    if record.unit_column is None:
        return (
            f"One row of the microdata was taken for one {record.unit}. That no {record.unit} has several rows was not "
            "checked; one that has spends epsilon for each."
        )
    return (
        f"One row of the microdata is one {record.unit}: no name stands twice in the column {record.unit_column}, so "
        "each is in one group."
    )


def _mechanism(record: ReleaseRecord) -> str:
    documents = [entry.document for entry in record.sizes]
    first = documents[0]
    if first is None:
        return "Mechanism: a matrix of a file, of which nothing is stated but its privacy."
    problem = first.problem
    properties = ", ".join(ordered(problem.properties))
    asked = f"with the properties {properties}" if properties else "with no properties"
    prior = "in the worst case" if problem.is_worst_case else f"expected under the prior {problem.prior.name}"
    sizes = sizes_text([entry.size for entry in record.sizes])
    each = f"for each size ({sizes}) a design of its own" if len(documents) > 1 else f"a design for n = {sizes}"
    text = f"Mechanism: {each}, {asked} and the least loss {problem.loss.name} {prior}, {_optimality(documents)}"
    return f"{text}; largest score {_largest_score(record)}." if record.format == FIRST_FORMAT else f"{text}."


def typical_sizes(record: ReleaseRecord) -> dict[int, str]:
    """Return the sizes of the smallest, the median and the largest group, each with what it is called."""
    passed, median = 0, 0
    for entry in record.sizes:
        median = entry.size if 2 * passed < record.groups else median
        passed += entry.groups
    smallest, largest = record.sizes[0].size, record.sizes[-1].size
    return {largest: "largest", median: "median", smallest: "smallest"}


def _errors(record: ReleaseRecord) -> str:
    named = typical_sizes(record)
    told = [(size, TypicalErrors.of(entry.mechanism)) for size in sorted(named) if (entry := record.entry(size))]
    sizes = (f"n = {size}{f' ({named[size]})' if len(named) > 1 else ''}: {errors}" for size, errors in told)
    return f"Distance from the true count, whatever that is. For groups of {'; of '.join(sizes)}."


def _intervals(record: ReleaseRecord) -> list[str]:
    if record.confidence is None:
        return []
    chance = number_text(record.confidence)
    return [
        f"Intervals: low and high hold the true count of their group with a chance of at least {chance}, whatever it "
        f"is. low_all and high_all hold those of all groups at once with a chance of at least {chance}. They follow "
        "from the released counts and the designs, and spend no privacy."
    ]


def _optimality(documents: list[Document | None]) -> str:
    gaps = [(one.score - one.lower_bound) / one.score for one in documents if one is not None and one.score > 0]
    widest = max(gaps, default=Fraction(0))
    if widest == 0:
        return "proved optimal"
    return f"proved optimal up to a relative gap of {rounded_up(widest, 2)}"


def _largest_score(record: ReleaseRecord) -> str:
    scores = [(entry.document.score, entry.size) for entry in record.sizes if entry.document is not None]
    score, size = max(scores)
    return f"{rounded_up(score)} at n = {size}"


def _input(record: ReleaseRecord) -> str:
    if record.input_hmac is None:
        return "No digest of the input is given: it would let others test what they guess of it."
    return f"HMAC-SHA256 of the input under a secret key: {record.input_hmac}."
