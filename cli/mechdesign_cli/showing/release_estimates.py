"""Estimates from a release, as a report, a JSON document and a CSV table."""

from collections.abc import Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

from mechdesign.counts.estimation.by_fair_law import LARGEST_SOLVED
from mechdesign.counts.estimation.inversion import LARGEST_SYSTEM
from mechdesign.documents.tabular import csv_bytes
from mechdesign.errors import printable
from mechdesign.releases.estimates.by_group import GroupEstimates
from mechdesign.releases.estimates.estimate import RegionEstimate, ReleaseEstimate, SizeEstimate
from mechdesign.releases.estimates.pooled import MODEL, PooledEstimate, ProfileLikelihood
from mechdesign.releases.estimates.unbiased import Figure
from mechdesign.releases.record import INTERVALS, sizes_in_short
from mechdesign_cli.showing.estimates import FEW_GROUPS, PRIVACY
from mechdesign_cli.showing.messages import entries_of
from mechdesign_cli.showing.tables import console, print_facts

ESTIMATE_FORMAT = "mechdesign-estimate/1"
COLUMNS = ("size", "groups", "mean", "standard_error", "low", "high", "told")
GROUP_COLUMNS = ("size", "released", *INTERVALS)
FIGURE_COLUMNS = ("", "_standard_error", "_low", "_high")
REGION_COLUMNS = (
    "region",
    "groups",
    "units",
    *(f"{name}{end}" for name in ("total", "share") for end in FIGURE_COLUMNS),
)
MOST_LINES = 200
"""Regions that a report prints a line for."""

MOST_SIZES = 20
"""Where there are more sizes, a report prints one line for all of them."""

NOT_TOLD = "cannot be told"


def sizes_csv(estimate: ReleaseEstimate) -> bytes:
    """Write a row for each size; cells are empty where there is no unbiased estimate."""
    rows = ((one.size, one.groups, *_cells(one.mean), "yes" if one.is_informative else "no") for one in estimate.sizes)
    return csv_bytes(COLUMNS, rows)


def regions_csv(estimate: ReleaseEstimate) -> bytes:
    """Write a row for each region: its total and its share of its units; cells are empty where neither exists."""
    rows = ((one.name, one.groups, one.units, *_cells(one.total), *_cells(one.share)) for one in estimate.regions)
    return csv_bytes(REGION_COLUMNS, rows)


def _cells(figure: Figure | None) -> list[float | str]:
    return [""] * len(FIGURE_COLUMNS) if figure is None else list(astuple(figure))


def groups_csv(groups: GroupEstimates) -> bytes:
    """Write a row for each group: its name, size and released count, its interval, and the one for all at once."""
    rows = ((*name, *row) for name, row in zip(groups.names, groups.rows, strict=True))
    return csv_bytes((*groups.columns, *GROUP_COLUMNS), rows)


def release_estimate_document(estimate: ReleaseEstimate) -> dict[str, Any]:
    """Return the JSON document that FORMAT.md describes."""
    return {
        "format": ESTIMATE_FORMAT,
        **entries_of(estimate, "groups", "units", "confidence"),
        "singular": list(estimate.singular),
        "unsolved": list(estimate.unsolved),
        **{name: _figure(getattr(estimate, name)) for name in ("total", "share", "mean_share")},
        "sizes": [
            {"n": one.size, "groups": one.groups, "mean": _figure(one.mean), "told": one.is_informative}
            for one in estimate.sizes
        ],
        "regions": [
            {**entries_of(one, "name", "groups", "units"), "total": _figure(one.total), "share": _figure(one.share)}
            for one in estimate.regions
        ],
        "pooled": None if estimate.pooled is None else _pooled(estimate.pooled),
        "privacy": PRIVACY,
    }


def _figure(figure: Figure | None) -> dict[str, float] | None:
    return None if figure is None else asdict(figure)


def _pooled(pooled: PooledEstimate) -> dict[str, Any]:
    bins = len(pooled.distribution)
    return {
        "model": MODEL,
        "mean": asdict(pooled.mean),
        "deviation": asdict(pooled.deviation),
        "distribution": [
            {"from": k / bins, "to": (k + 1) / bins, **asdict(share)} for k, share in enumerate(pooled.distribution)
        ],
    }


def report_release(estimate: ReleaseEstimate, file: Path, record: Path) -> None:
    """Print the sums first, then the means by size, then the model."""
    screen = console()
    level = f"{100 * estimate.confidence:.6g} %"
    none = missing_text(estimate)
    rough = "; normal approximation, rough for so few groups" if 1 < estimate.groups < FEW_GROUPS else ""
    rows = [
        ("released", f"{estimate.groups} groups of {estimate.units} units in all: {file}, by {record} (proved again)"),
        ("privacy", PRIVACY),
        ("total", none or _figure_text(estimate.total, level) + f", unbiased{rough}"),
        ("share of units", none or _figure_text(estimate.share, level) + ", unbiased"),
        ("mean share", none or _figure_text(estimate.mean_share, level) + ", of all groups alike; unbiased"),
        (
            "intervals",
            "for these groups, by the exact law of the noise alone; each has that level on its own, truncated to "
            f"what is possible{_rough_sizes(estimate)}",
        ),
    ]
    print_facts(rows)
    if estimate.regions:
        screen.print("\ntotal by region, sums of unbiased estimates, never of released counts")
        for region in estimate.regions[:MOST_LINES]:
            screen.print(_region_text(region, level))
        if len(estimate.regions) > MOST_LINES:
            screen.print(f"and {len(estimate.regions) - MOST_LINES} more regions; --by-region --output writes them all")
    if len(estimate.sizes) > MOST_SIZES:
        screen.print(f"\nmean count by size: {_sizes_text(estimate.sizes)}")
    else:
        screen.print("\nmean count by size")
        for one in estimate.sizes:
            screen.print(_size_text(one, level))
    pooled = estimate.pooled
    if pooled is None:
        screen.print("\nbetween groups: no model is fitted to so many and so large sizes")
        return
    screen.print(f"\nbetween groups, under a model that these data cannot prove ({MODEL})")
    mean, deviation = _likely_text(pooled.mean), _likely_text(pooled.deviation)
    screen.print(f"mean chance {mean}, standard deviation {deviation} ({level})")
    bins = len(pooled.distribution)
    for k, share in enumerate(pooled.distribution):
        screen.print(f"chance {k / bins:.1f} to {(k + 1) / bins:.1f}: share of groups {_likely_text(share)}")


def _rough_sizes(estimate: ReleaseEstimate) -> str:
    exact = "; exact for a size with 1 group" if any(one.groups == 1 for one in estimate.sizes) else ""
    if all(one.groups == 1 or one.groups >= FEW_GROUPS for one in estimate.sizes):
        return exact
    return f"{exact}; normal approximation, rough for sizes with 2 to {FEW_GROUPS - 1} groups"


def missing_text(estimate: ReleaseEstimate) -> str:
    """Say for which sizes there is no unbiased estimate, why, and what serves; nothing where there is one for each."""
    told = []
    if estimate.singular:
        sizes = sizes_in_short(estimate.singular)
        told.append(
            f"no unbiased estimate exists: the designs for n = {sizes} are singular; with WH, RM and CM together there "
            "was one in every case that was tried"
        )
    if estimate.unsolved:
        sizes = sizes_in_short(estimate.unsolved)
        told.append(
            f"no unbiased estimate is computed for n = {sizes}, though one may exist: a matrix is solved up to n = "
            f"{LARGEST_SYSTEM - 1}; the fair mechanism (EM), which had an inverse in every case that was tried, is "
            f"solved up to n = {LARGEST_SOLVED}, and beyond while alpha is at most 0.998; what serves is smaller "
            "groups, or for EM a smaller alpha"
        )
    return "; ".join(told)


def _region_text(one: RegionEstimate, level: str) -> str:
    name = f"{printable(one.name)}, {_number(one.groups, 'group')} of {_number(one.units, 'unit')}"
    if one.total is None:
        return f"{name}: {NOT_TOLD}, no unbiased estimate"
    rough = "; rough for so few groups" if 1 < one.groups < FEW_GROUPS else ""
    share = one.share
    assert share is not None  # as the total is none
    of_units = f"share {share.value:.4g} ({share.low:.4g} to {share.high:.4g})"
    return f"{name}: {_figure_text(one.total, level)}; {of_units}{rough}"


def _number(of: int, what: str) -> str:
    return f"{of} {what}{'' if of == 1 else 's'}"


def _sizes_text(sizes: Sequence[SizeEstimate]) -> str:
    """Say in a line where the means of many sizes are, and for how many nothing can be told."""
    open_ones = sum(not one.is_informative for one in sizes)
    none = f", {open_ones} of which {NOT_TOLD}" if open_ones else ""
    return f"{len(sizes)} sizes{none}; --output FILE.csv writes each, --by-group the interval of each group"


def _size_text(one: SizeEstimate, level: str) -> str:
    groups = _number(one.groups, "group")
    if one.mean is None:
        return f"n = {one.size}, {groups}: {NOT_TOLD}, no unbiased estimate"
    if not one.is_informative:
        return f"n = {one.size}, {groups}: {NOT_TOLD} (standard error {one.mean.standard_error:.2f})"
    return f"n = {one.size}, {groups}: {_figure_text(one.mean, level)}"


def _figure_text(figure: Figure | None, level: str) -> str:
    assert figure is not None
    return (
        f"{figure.value:.5g}, {level} interval {figure.low:.5g} to {figure.high:.5g}, standard error "
        f"{figure.standard_error:.3g}"
    )


def _likely_text(likely: ProfileLikelihood) -> str:
    return f"{likely.value:.3f} ({likely.low:.3f} to {likely.high:.3f})"
