"""The page of a report on a release in HTML, with its groups as a picture."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from mechdesign.pages.html import grid, paragraphs, section, table, whole_page
from mechdesign.rational import number_text
from mechdesign.releases.estimates.by_group import GroupEstimates
from mechdesign.releases.estimates.estimate import RegionEstimate
from mechdesign_figures.reports.release_report import ReleaseReport

WIDTH, ROW, LEFT, BOTTOM, TOP = 880, 170, 44, 22, 10
IN_A_ROW = 125
"""Groups that stand side by side in a picture."""

TENS = 20
"""The scale of shares ends with a multiple of so many percent."""

MOST_BARS = 4_096
"""Sizes that have a bar each; of more sizes each bar has several."""

MOST_DRAWN = 2_000
MOST_LISTED = 5_000

PICTURE = (
    "<style>.axis{stroke:#8c959f}.grid{stroke:#d0d7de}.reach{stroke:#9ec5e8}.count{fill:#0b57a4}"
    "text{font:11px system-ui,'DejaVu Sans',sans-serif;fill:#1b1f24}</style>"
)
"""What every picture is drawn with; its paper is white in the dark, too."""


def release_page(report: ReleaseReport) -> str:
    """Write a report on a release as a page of HTML that needs no other file."""
    return whole_page(report.title, report.asked, _sections(report))


def _sections(report: ReleaseReport) -> Iterator[str]:
    yield table("In short", report.facts)
    yield section("What is promised", paragraphs(report.promise))
    yield section("Errors to expect", _errors(report) + paragraphs(report.error_words))
    yield section("The groups", _groups(report))
    if report.regions:
        yield section("The regions", _regions(report) + paragraphs(report.region_words))
    yield section("How to check", _checks(report) + paragraphs(report.belief))
    yield section("Privacy statement", f"<blockquote>{paragraphs(report.statement)}</blockquote>")


def _errors(report: ReleaseReport) -> str:
    header = ("groups", "size", "distance", "groups within it, of 100", "root-mean-square error")
    rows = [
        (
            False,
            (
                one.name,
                one.words,
                str(one.errors.distance),
                f"at least {one.errors.within}",
                f"{float(one.errors.root_mean_square):.2f}",
            ),
        )
        for one in report.errors
    ]
    return grid("How far a released count is from the true one", header, rows)


def _regions(report: ReleaseReport) -> str:
    header = ("region", "groups", "units", "estimated total", "low", "high", "standard error", "share of units")
    rows = [(False, (one.name, str(one.groups), f"{one.units:,}", *_figures(one))) for one in report.regions]
    return grid("The number counted in each region, as estimated from its groups", header, rows)


def _figures(one: RegionEstimate) -> tuple[str, ...]:
    total, share = one.total, one.share
    if total is None or share is None:
        return ("none", *[""] * 4)
    parts = (f"{value:,.1f}" for value in (total.value, total.low, total.high, total.standard_error))
    return (*parts, f"{100 * share.value:.2f} % ({100 * share.low:.2f} to {100 * share.high:.2f})")


def _checks(report: ReleaseReport) -> str:
    lines = (f"<p>{escape(words)}:</p>\n<pre>{escape(command)}</pre>" for command, words in report.checks)
    return "\n".join(lines)


def _groups(report: ReleaseReport) -> str:
    if report.groups is None:
        words = "How many groups there are of each size. Give the released counts, too, to see each group."
        return _figure(_sizes_picture(report), words)
    groups = report.groups
    order = sorted(range(len(groups.rows)), key=lambda k: (groups.rows[k][1] / groups.rows[k][0], groups.names[k]))
    drawn = order if len(order) <= MOST_DRAWN else [order[k * len(order) // MOST_DRAWN] for k in range(MOST_DRAWN)]
    every = "" if len(drawn) == len(order) else f" Of {len(order)} groups {len(drawn)} are drawn."
    chance = number_text(100 * report.confidence)
    words = (
        "Each group is a dot: its released count as a share of its size, the lowest share first. The line through it "
        f"is its interval, which holds the true share with a chance of at least {chance} %.{every}"
    )
    return _figure(_groups_picture(groups, drawn), words) + _listed(groups)


def _figure(picture: str, words: str) -> str:
    return f"<figure>\n{picture}\n<figcaption>{escape(words)}</figcaption>\n</figure>"


def _listed(groups: GroupEstimates) -> str:
    if len(groups.rows) > MOST_LISTED:
        return '<p class="quiet">The numbers stand in the file of released counts.</p>'
    header = (*groups.columns, "size", "released", "low", "high", "low_all", "high_all")
    rows = [(False, (*name, *map(str, row))) for name, row in zip(groups.names, groups.rows, strict=True)]
    return f"<details open>\n<summary>The numbers</summary>\n{grid('Every group', header, rows)}\n</details>"


def _groups_picture(groups: GroupEstimates, drawn: Sequence[int]) -> str:
    rows = [drawn[k : k + IN_A_ROW] for k in range(0, len(drawn), IN_A_ROW)]
    most = max(max(groups.rows[k][1], groups.rows[k][3]) / groups.rows[k][0] for k in drawn)
    percent = TENS * max(1, math.ceil(100 * most / TENS))
    parts = [_row_of_groups(groups, row, number * ROW, percent) for number, row in enumerate(rows)]
    return _svg(
        len(rows) * ROW, f"{len(drawn)} groups with their intervals; the numbers stand in the table below", parts
    )


def _row_of_groups(groups: GroupEstimates, row: Sequence[int], top: int, percent: int) -> str:
    """Draw groups side by side, on a scale from 0 to so many percent."""
    low, high = top + ROW - BOTTOM, top + TOP

    def y(share: float) -> float:
        return low + (high - low) * 100 * share / percent

    lines = [_level(y(at / 100), f"{at} %") for at in (0, percent // 2, percent)]
    step = (WIDTH - LEFT - 4) / IN_A_ROW
    for place, k in enumerate(row):
        size, released, least, most, *_ = groups.rows[k]
        x = LEFT + (place + 0.5) * step
        title = f"{', '.join(groups.names[k])}: {released} of {size}, true count {least} to {most}"
        lines.append(
            f'<g><title>{escape(title)}</title><path class="reach" stroke-width="{0.55 * step:.1f}" '
            f'd="M{x:.1f} {y(least / size):.1f}V{y(most / size) - 0.5:.1f}"/>'
            f'<circle class="count" cx="{x:.1f}" cy="{y(released / size):.1f}" r="2"/></g>'
        )
    return "\n".join(lines)


def _sizes_picture(report: ReleaseReport) -> str:
    groups = report.record.groups_by_size
    smallest, largest = min(groups), max(groups)
    wide = -(-(largest + 1) // MOST_BARS)
    bars: Counter[int] = Counter()
    for size, number in groups.items():
        bars[size // wide] += number
    most = max(bars.values())
    low, high = ROW - BOTTOM, TOP
    step = (WIDTH - LEFT - 4) / (largest // wide + 1)
    parts = [_level(low + (high - low) * share, f"{share * most:.0f}") for share in (0, 1)]
    for bar, number in sorted(bars.items()):
        height = (low - high) * number / most
        sizes = str(bar) if wide == 1 else f"{bar * wide} to {min(bar * wide + wide - 1, largest)}"
        parts.append(
            f'<g><title>{number} groups of {sizes}</title><rect class="count" '
            f'x="{LEFT + bar * step:.1f}" y="{low - height:.1f}" '
            f'width="{max(0.8 * step, 0.5):.1f}" height="{height:.1f}"/></g>'
        )
    for size in sorted({smallest, largest}):
        x = LEFT + (size // wide + 0.4) * step
        parts.append(f'<text x="{x:.1f}" y="{ROW - 6}" text-anchor="middle">{size}</text>')
    return _svg(ROW, f"Number of groups of each size, {smallest} to {largest} units", parts)


def _level(y: float, text: str) -> str:
    return (
        f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH}"/><text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">'
        f"{text}</text>"
    )


def _svg(height: int, words: str, parts: Sequence[str]) -> str:
    inner = "\n".join(parts)
    return (
        f'<svg role="img" aria-label="{escape(words)}" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" xmlns="http://www.w3.org/2000/svg">\n{PICTURE}\n{inner}\n</svg>'
    )
