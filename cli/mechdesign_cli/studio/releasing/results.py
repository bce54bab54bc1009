"""Results of a release: the rows of its output, a paragraph to copy, and totals of its values and regions."""

import re
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from math import ceil, floor
from pathlib import Path
from typing import Any

from mechdesign.documents.sources import open_table
from mechdesign.problem.privacy import loss_text, rounded_up
from mechdesign.rational import number_text
from mechdesign.releases.checking import read_release
from mechdesign.releases.estimates.estimate import ReleaseEstimate, estimate_value
from mechdesign.releases.output import ReleasedCounts
from mechdesign.releases.record import ReleaseRecord
from mechdesign_cli.showing.estimates import FEW_GROUPS
from mechdesign_cli.showing.release_estimates import missing_text, release_estimate_document
from mechdesign_cli.studio.steps import Step
from mechdesign_studio.workers.work import Ending

MOST_ROWS = 200
"""Rows of the output, and regions, that the page shows; the files have all."""


FACTOR_DIGITS = 3
SIMULATED = "SIMULATION: a seed drew this noise, which protects nobody. Of a real release one would say: "
Row = tuple[Sequence[str], int]
Ends = tuple[Row, Row]
"""The rows with the smallest and the largest count, each with its number."""

YES = ("", "1", "yes", "true")
"""Texts that say no more than the name of their column."""


def with_results(steps: Sequence[Step], ending: Ending) -> Ending:
    """Add to each release among steps that ended well what the page shows of it; each is a simulation in its folder."""
    if ending.kind != "done":
        return ending
    told = [
        {**said, "results": release_results(Path(step.options["output"]), Path(step.options["record"]))}
        if step.command == "release" and {"output", "record"} <= step.options.keys()
        else said
        for step, said in zip(steps, ending.data["steps"], strict=True)
    ]
    return Ending("done", {**ending.data, "steps": told})


def release_results(output: Path, record: Path) -> dict[str, Any]:
    """Return the first rows, and an estimate of all groups and of each region, for each value of a category.

    Raises:
        InputError, RefusedError: for an output or a record that was changed since.
    """
    known, counts = read_release(output, record)
    with open_table(output) as source:
        header, rows = list(source.header), list(islice(source.rows, MOST_ROWS))
        ends = _extremes(known, chain(rows, source.rows))
    totals, estimates = [], []
    for value in known.values or (None,):
        found = estimate_value(known, counts, value, fits_model=False)
        estimates.append(found)
        told = release_estimate_document(found)
        kept = {name: told[name] for name in ("groups", "units", "confidence", "total", "share")}
        regions = told["regions"][:MOST_ROWS]
        totals.append(
            {"value": value, **kept, "regions": regions, "number": len(told["regions"]), "why": missing_text(found)}
        )
    return {
        "header": header,
        "rows": rows,
        "number": len(counts.released),
        "released_at": known.released_at,
        "sized_at": None if known.size_column is None else known.columns.index(known.size_column),
        "places": [_place(known, row, k) for k, row in enumerate(rows, 1)],
        "titles": interval_titles(known),
        "paragraph": paragraph(known, estimates, ends),
        "notes": [*_sum_note(counts, estimates), *_rough_notes(estimates)],
        "totals": totals,
    }


def interval_titles(record: ReleaseRecord) -> list[str]:
    """Return what the two intervals of each count are called; nothing where there are none."""
    if record.confidence is None:
        return []
    group = _group(record)
    return [f"{_level(record)} interval, {whose}" for whose in (f"this {group}", f"all {_plural(group)} at once")]


def paragraph(record: ReleaseRecord, estimates: Sequence[ReleaseEstimate], ends: Ends) -> str:
    """Say in plain words what the counts of all groups tell, and what they tell of one unit."""
    factor = rounded_up(1 / record.alpha, FACTOR_DIGITS)
    return (
        f"{SIMULATED if record.simulation else ''}{' '.join(_told(record, estimates, ends))} The noise protects each "
        f"{record.unit}'s answer. Even to somebody who knows all others, the release changes the odds of any one "
        f"{record.unit}'s answer by at most a factor {factor} (epsilon {loss_text(record.alpha)}).{_if(record)}"
    )


def _told(record: ReleaseRecord, estimates: Sequence[ReleaseEstimate], ends: Ends) -> list[str]:
    """Say the totals, and the largest and the smallest count, or the only one.

    Noise had its part in which these are, so they stand with the intervals that hold for all counts at once.
    """
    (least, first), (most, last) = ends
    where = _group(record) if estimates[0].groups == 1 else _plural(_group(record))
    whose = [least if not record.values else _of_value(record, least, value) for value in record.values or ("",)]
    said = [
        f"In all {found.groups:,} {where} about {min(max(found.total.value, 0), found.units):,.0f} of {found.units:,} "
        f"{_plural(record.unit)} {_counted(record, row)} ({floor(found.total.low):,} to {ceil(found.total.high):,} "
        f"with a chance of about {100 * found.confidence:.6g} %)."
        for found, row in zip(estimates, whose, strict=True)
        if found.total is not None
    ]
    if record.counts == 1:
        count, _, interval = _count(record, least).partition(" (")
        left = f"; the noise leaves {interval.rstrip(')')} ({_level(record)})" if interval else ""
        counted = f"{_plural(record.unit)} {_counted(record, least)}"
        return [f"In {_place(record, least, first)} about {count} {counted}{left}."]
    said.append(
        f"The largest released count is {_count(record, most)} in {_place(record, most, last)}, the smallest "
        f"{_count(record, least)} in {_place(record, least, first)}."
    )
    if len(record.groups_by_size) > 1:
        said.append(f"As {_plural(_group(record))} differ in size, a larger count need not be a larger share.")
    if record.confidence is not None:
        said.append(
            f"All {record.counts:,} such intervals hold the true counts at once with a chance of at least "
            f"{_level(record)}."
        )
    return said


def _count(record: ReleaseRecord, row: Sequence[str]) -> str:
    """Write a released count, of how many, and its interval among those of all counts at once."""
    at = record.released_at
    size = (
        next(iter(record.groups_by_size))
        if record.size_column is None
        else row[record.columns.index(record.size_column)]
    )
    return f"{row[at]} of {size}" + ("" if record.confidence is None else f" ({row[at + 3]} to {row[at + 4]})")


def _extremes(record: ReleaseRecord, rows: Iterable[Sequence[str]]) -> Ends:
    """Find the first rows with the smallest and with the largest released count, each with its number."""
    at = record.released_at
    least = most = None
    for number, row in enumerate(rows, 1):
        if least is None or int(row[at]) < int(least[0][at]):
            least = row, number
        if most is None or int(row[at]) > int(most[0][at]):
            most = row, number
    assert least is not None
    assert most is not None
    return least, most


def _of_value(record: ReleaseRecord, row: Sequence[str], value: str) -> list[str]:
    """Return a row with another value of the category."""
    at = record.columns.index(record.column)
    return [*row[:at], value, *row[at + 1 :]]


def _group(record: ReleaseRecord) -> str:
    """What a group is called."""
    name = record.group or ""
    return name.lower() if name.isalpha() and not name.isupper() else "group"


def _if(record: ReleaseRecord) -> str:
    """Say what was not checked of the units."""
    if record.unit_column is not None:
        return ""
    return f" This holds if each {record.unit} is in one {'group' if record.group is None else 'row'} alone."


def _level(record: ReleaseRecord) -> str:
    assert record.confidence is not None
    return f"{number_text(100 * record.confidence)} %"


def _place(record: ReleaseRecord, row: Sequence[str], number: int, columns: Sequence[str] | None = None) -> str:
    """Name a row: by its group, or in a table of counts by its first published column."""
    named = (record.name_columns if columns is None else columns) or record.columns[: min(1, record.released_at)]
    cells = [row[record.columns.index(name)] for name in named if name != record.size_column]
    return ", ".join(cells) or f"row {number}"


def _counted(record: ReleaseRecord, row: Sequence[str]) -> str:
    if record.values:
        return f"have {record.column} = {row[record.columns.index(record.column)]}"
    name, _, text = record.column.partition("=")
    return f"are counted as {name}" if text.lower() in YES else f"have {name} = {text}"


def _plural(word: str) -> str:
    if word.endswith("person"):
        return f"{word.removesuffix('person')}people"
    if re.search("[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def _sum_note(counts: ReleasedCounts, estimates: Sequence[ReleaseEstimate]) -> list[str]:
    """Say why a total is not the sum of the released counts."""
    if any(found.total is None for found in estimates):
        return []
    added = f" Here they add up to {sum(counts.released):,}." if len(estimates) == 1 else ""
    return [
        "A total need not be the sum of the released counts. No released count is below 0 or above its group's size, "
        f"so noise moves counts near these ends inwards.{added}"
    ]


def _rough_notes(estimates: Sequence[ReleaseEstimate]) -> list[str]:
    """Say which intervals of totals are exact and which are not, as `mechdesign estimate` does."""
    groups = [one.groups for one in estimates if one.total is not None]
    groups += [region.groups for one in estimates for region in one.regions if region.total is not None]
    exact = ["The interval of one group alone is exact."] if 1 in groups else []
    few = f", rough for fewer than {FEW_GROUPS} groups" if any(1 < number < FEW_GROUPS for number in groups) else ""
    normal = [f"A total's interval is a normal approximation{few}."] if max(groups, default=0) > 1 else []
    return [*normal, *exact]
