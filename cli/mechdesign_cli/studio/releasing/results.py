"""Results of a release: the rows of its output, and totals of its values and regions."""

from itertools import islice
from pathlib import Path
from typing import Any

from mechdesign.documents.sources import open_table
from mechdesign.releases.checking import read_release
from mechdesign.releases.estimates.estimate import estimate_value
from mechdesign_cli.showing.release_estimates import missing_text, release_estimate_document

MOST_ROWS = 200
"""Rows of the output, and regions, that the page shows; the files have all."""


def release_results(output: Path, record: Path) -> dict[str, Any]:
    """Return the first rows, and an estimate of all groups and of each region, for each value of a category.

    Raises:
        InputError, RefusedError: for an output or a record that was changed since.
    """
    known, counts = read_release(output, record)
    with open_table(output) as source:
        header, rows = list(source.header), list(islice(source.rows, MOST_ROWS))
    totals = []
    for value in known.values or (None,):
        found = estimate_value(known, counts, value, fits_model=False)
        told = release_estimate_document(found)
        kept = {name: told[name] for name in ("groups", "units", "confidence", "total", "share")}
        regions = told["regions"][:MOST_ROWS]
        totals.append(
            {"value": value, **kept, "regions": regions, "number": len(told["regions"]), "why": missing_text(found)}
        )
    return {"header": header, "rows": rows, "number": len(counts.released), "totals": totals}
