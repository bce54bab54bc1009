"""Noise tables on the screen and as JSON: designs, privacy curves, comparisons."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechdesign.audits.curves import USUAL, CurveAudit, words_of_start
from mechdesign.documents.document import exact_entry
from mechdesign.documents.tabular import Column, Table, words
from mechdesign.noise_tables.design import NoiseTableDesign
from mechdesign.noise_tables.problem import ENTROPY
from mechdesign.noise_tables.table import NoiseTable
from mechdesign.problem.privacy import rounded_down, rounded_up
from mechdesign.rational import float_above, fraction_text, number_text
from mechdesign.verify.proving import Claim
from mechdesign_cli.showing.claims import claim_entries, print_claims
from mechdesign_cli.showing.tables import console, print_facts, print_table

DIGITS = 4
LEAST_SHOWN = Fraction(1, 10**4)
SHAPES = {
    "unimodal": "unimodal: chances fall away from 0 on either side",
    "left": "left: chances fall away from 0 below it",
    "none": "none",
}


def delta_text(value: Fraction) -> str:
    """Write a delta to so many digits, never below it."""
    return rounded_up(value, DIGITS) if value else "0"


def table_rows(table: NoiseTable) -> list[tuple[str, str]]:
    """Say what an office asks about a table."""
    counts = range(1, table.last + 1)
    variances, biases = [table.variance(count) for count in counts], [abs(table.bias(count)) for count in counts]
    blocked = f"{', '.join(map(str, table.blocked))} never occur" if table.blocked else "none"
    stays = table.chance(0, 0) == 1
    return [
        ("noise", f"at most {table.noise} either way; rows for the counts 0..{table.last}"),
        ("variance", f"{_decimal(min(variances))} to {_decimal(max(variances))}, last row {_decimal(variances[-1])}"),
        ("bias", "none from 1 on" if not any(biases) else f"up to {rounded_up(max(biases), 3)}"),
        ("shape", SHAPES[table.shape]),
        ("blocked results", blocked),
        (
            "zeros",
            "a true 0 stays 0: a result above 0 shows that a cell is not empty" if stays else "a true 0 is perturbed",
        ),
    ]


def _decimal(value: Fraction) -> str:
    return f"{float(value):.5g}"


def print_curve(found: CurveAudit, epsilons: Sequence[Fraction] = USUAL) -> None:
    """Print delta at each epsilon, a column for each start."""
    columns = [words("epsilon", [number_text(epsilon) for epsilon in epsilons])]
    for start in found.starts:
        deltas = [delta_text(found.delta(epsilon, start)) for epsilon in epsilons]
        columns.append(words(f"delta, {words_of_start(start)}", deltas))
    print_table(columns)


def curve_entries(found: CurveAudit, epsilons: Sequence[Fraction]) -> list[dict[str, Any]]:
    """Return the points of a curve as JSON values."""
    return [
        {
            "epsilon": number_text(point.epsilon),
            "start": point.start,
            "delta": {"exact": fraction_text(point.delta), "value": float_above(point.delta)},
        }
        for point in found.points(epsilons)
    ]


def show_design(design: NoiseTableDesign) -> None:
    """Print what was asked, how good the table is, and what is proved."""
    problem = design.problem
    price = "" if problem.keys is None or not design.lower_bound else _price(design)
    other = "more" if problem.objective == ENTROPY else "less"
    gap = rounded_up(design.score - design.lower_bound, 2)
    meaning = {
        "exact": "no table that meets these demands has less; 'exact' is said of a rational just below exp(epsilon)",
        "certified": f"no table that meets these demands has {other} by more than {gap}, proved",
        "feasible": f"no table that meets these demands has {other} by more than {gap}, proved",
    }[design.status]
    print_facts(
        [
            ("asked", problem.describe()),
            (problem.objective, design.objective_text),
            ("bound", price or f"{design.status}: {meaning}"),
            *[
                (
                    f"epsilon {number_text(one.epsilon)}",
                    f"delta {delta_text(delta)} for {words_of_start(one.start or 0)}",
                )
                for one, delta in zip(problem.guarantees, design.deltas, strict=True)
            ],
            *([] if problem.guarantees else [("promise", "none: no guarantee was asked for")]),
            *table_rows(design.mechanism),
        ]
    )
    print_rows(design.mechanism)


def _price(design: NoiseTableDesign) -> str:
    share = rounded_up(100 * (design.score / design.lower_bound - 1), 3)
    return f"{rounded_down(design.lower_bound)} without keys, proved; {design.problem.keys} keys cost {share} % more"


def print_rows(table: NoiseTable) -> None:
    """Print the chances of every row, a column for each noise; in a narrow terminal one table below another."""
    noises = sorted({noise for row in table.rows for noise, weight in row if weight})
    labels = [str(count) for count in range(table.last)] + [f"{table.last}+"]
    first, columns = words("count", labels), []
    for noise in noises:
        shares = [_share(table.chance(count, noise)) for count in range(table.last + 1)]
        columns.append(Column(f"{noise:+d}" if noise else "0", shares))
    together = -(-len(columns) // len(Table.of_columns([first, *columns]).parts(console().width)))
    for start in range(0, len(columns), together):
        print_table([first, *columns[start : start + together]])


def _share(share: Fraction) -> str:
    if share < LEAST_SHOWN:
        return "<1e-4" if share else ""
    return f"{float(share):.4f}"[1:] if share < 1 else "1"


def noise_audit_document(
    found: CurveAudit, file: Path, epsilons: Sequence[Fraction], claim: Claim | None, least: Sequence[Any]
) -> dict[str, Any]:
    """Return the audit of a noise table, or of the curve of a matrix, as a JSON document."""
    claims = claims_of(found, claim)
    document: dict[str, Any] = {"kind": "curve", "passed": all(one.true for one in claims)}
    if found.table is not None:
        document |= {"kind": "noise-table", "facts": [list(row) for row in table_rows(found.table)]}
        document["rows"] = [
            {
                "count": count,
                "bias": exact_entry(found.table.bias(count)),
                "variance": exact_entry(found.table.variance(count)),
            }
            for count in range(found.table.last + 1)
        ]
    document["curve"] = curve_entries(found, epsilons)
    if least:
        document["least_epsilon"] = dict(zip(("delta", "start", "epsilon"), least, strict=True))
    return {**document, "hide": found.hide, "file": str(file), "claims": claim_entries(claims)}


def claims_of(found: CurveAudit, claim: Claim | None) -> list[Claim]:
    """Return the claims of a document, then the one that was asked about."""
    stored = None if found.file is None else found.file.stored
    return [*(() if stored is None else stored.claims), *(() if claim is None else (claim,))]


def show_noise_audit(
    found: CurveAudit, file: Path, epsilons: Sequence[Fraction], claim: Claim | None, least: Sequence[Any]
) -> None:
    """Print what a noise table is, its curve, and the claims."""
    kind = "a matrix for counts" if found.file is None else f"a noise table, {found.file.kind}"
    rows = [("file", f"{file}: {kind}")]
    rows += [] if found.table is None else table_rows(found.table)
    rows += [("hidden", f"results below {found.hide} are one mark")] if found.hide else []
    if least:
        delta, start, epsilon = least
        said = "no epsilon is large enough" if epsilon is None else f"{epsilon}, rounded up"
        rows += [("least epsilon", f"{said}, for delta {delta} and {words_of_start(start)}")]
    print_facts(rows)
    print_curve(found, epsilons)
    print_claims(claims_of(found, claim))


def table_claims_document(claims: Sequence[Claim], record: Path) -> dict[str, Any]:
    """Return the check of a release of tables as a JSON document."""
    passed = all(claim.true for claim in claims)
    return {"kind": "table-release", "record": str(record), "passed": passed, "claims": claim_entries(claims)}


def report_tables(claims: Sequence[Claim], record: Path) -> None:
    """Print the claims of a release of tables."""
    print_facts([("record", f"{record}: a release of tables through a noise table")])
    print_claims(claims)
