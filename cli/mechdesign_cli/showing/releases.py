"""Checked release records, on the screen."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechdesign.problem.privacy import loss_text
from mechdesign.rational import fraction_text, number_text
from mechdesign.releases.forecasting import Forecast
from mechdesign.releases.record import ReleaseRecord, sizes_in_short
from mechdesign.verify.proving import Claim
from mechdesign_cli.showing.claims import claim_entries, print_claims
from mechdesign_cli.showing.messages import entries_of
from mechdesign_cli.showing.tables import console, print_facts


def report_record(record: ReleaseRecord, claims: Sequence[Claim], file: Path) -> None:
    """Print what the record is of, and every claim; those of the designs on one line where all are true."""
    screen = console()
    print_facts(record_rows(record, file))
    of_designs = [claim for claim in claims if claim.claim.startswith("n = ")]
    false = [claim for claim in of_designs if not claim.true]
    if of_designs and not false:
        designs = "the design is" if len(record.sizes) == 1 else f"all {len(record.sizes)} designs are"
        screen.print(f"true   {designs} private, and as good as said (re-proved)")
    print_claims([*false, *(claim for claim in claims if claim not in of_designs)])


def report_forecast(forecast: Forecast, sizes: Mapping[int, int], alpha: Fraction, unit: str) -> None:
    """Print what a release would take."""
    groups, units = sum(sizes.values()), sum(size * number for size, number in sizes.items())
    how = "made and measured" if forecast.is_made else "estimated"
    beyond = [] if forecast.obstacle is None else [("beyond", f"this cannot be done: {forecast.obstacle}")]
    rows = [
        ("groups", f"{groups} of {units} units in all, sizes {sizes_in_short(sorted(sizes))}"),
        ("privacy", f"epsilon = {loss_text(alpha)}, alpha = {number_text(alpha)}, each {unit}"),
        ("designs", f"{_designs(forecast, len(sizes))}, in {_about(forecast.seconds)} of one processor ({how})"),
        (
            "record",
            f"about {forecast.record_bytes:,} bytes" + ("" if forecast.is_made else ", estimated from smaller designs"),
        ),
        *([] if forecast.errors is None else [("errors", forecast.errors)]),
        *beyond,
        ("dry run", "nothing was drawn, written or spent"),
    ]
    print_facts(rows)


def _designs(forecast: Forecast, sizes: int) -> str:
    return f"{sizes - forecast.by_law}, and one law for {forecast.by_law} sizes" if forecast.by_law else str(sizes)


def _about(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def record_rows(record: ReleaseRecord, file: Path) -> list[tuple[str, str]]:
    """Return what the record is of, as labels and texts."""
    sizes = sizes_in_short(record.groups_by_size)
    groups = f"{record.groups} groups of {record.units} units in all"
    rows = [
        ("record", f"{file}: {groups}, sizes {sizes}, drawn {record.date}"),
        ("privacy", f"epsilon = {loss_text(record.alpha)}, alpha = {number_text(record.alpha)}, each {record.unit}"),
    ]
    if record.simulation:
        rows.append(("noise", "seeded: a SIMULATION, which protects nobody"))
    return rows


def record_claims_document(record: ReleaseRecord, claims: Sequence[Claim], file: Path) -> dict[str, Any]:
    """Return the findings as a JSON document; `facts` are the labels and texts of the report."""
    return {
        "kind": "release",
        "passed": all(claim.true for claim in claims),
        "facts": [list(row) for row in record_rows(record, file)],
        **entries_of(record, "groups", "units"),
        "alpha": fraction_text(record.alpha),
        "simulation": record.simulation,
        "claims": claim_entries(claims),
    }
