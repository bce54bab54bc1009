"""Show what an audit of a matrix found, in words and as JSON: up to the precision of floats, then exactly."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechdesign.audits.audit import Audit
from mechdesign.audits.mending import Compared, Mended
from mechdesign.audits.within import Within
from mechdesign.documents.document import exact_entry
from mechdesign.mechanism.tightest import Tightest
from mechdesign.problem.privacy import loss_text, rounded_up
from mechdesign.rational import float_above, float_below, fraction_text, nearest_float, number_text
from mechdesign_cli.showing.claims import claim_entries, print_claims
from mechdesign_cli.showing.messages import printable
from mechdesign_cli.showing.tables import console, facts, holds_text

ROUNDING = 1e-9
"""Sums this close to 1 differ from it by rounding alone."""

DIGITS = 12


def repair_text(mended: Mended) -> str:
    """Return one line on what the repair cost."""
    design, loss = mended.design, mended.design.problem.loss.name
    return (
        f"repaired for {loss}: score {nearest_float(mended.score_before):.9g} -> {float(design.score):.9g} "
        f"(change {nearest_float(design.score - mended.score_before):.2g}), largest change of an entry "
        f"{nearest_float(mended.largest_change):.2g}, certified gap to the {loss} optimum {float(design.gap):.2g}"
    )


def report(found: Audit, file: Path, compared: Compared | None = None) -> None:
    """Print the audit: of floats first what holds up to their precision, then what holds exactly."""
    screen = console()
    decides = found.within is not None and found.within.tolerance is not None
    if found.within is not None:
        screen.print(printable(within_title(found.within)))
        screen.print(facts(within_rows(found.within), screen.width))
        print_claims(found.within.claims, decides)
        screen.print("\nExactly as it is written:")
    screen.print(facts(audit_rows(found, file, compared), screen.width))
    print_claims(found.claims, not decides)


def within_title(within: Within) -> str:
    """Say which matrices the first verdict is about."""
    if within.tolerance is not None:
        near = f"the tolerance of {number_text(within.tolerance)}"
    else:
        near = f"the precision of its floats (at most {rounded_up(within.largest, 2)} for an entry)"
    return f"Within {near}, each line holds for some matrix:"


def within_rows(within: Within) -> list[tuple[str, str]]:
    """Return what holds for some matrix so near, as labels and texts."""
    loss = "inf" if math.isinf(within.epsilon) else f"as small as {rounded_up(Fraction(within.epsilon), DIGITS)}"
    rows = [
        ("epsilon", loss),
        ("columns", "all can sum to exactly 1" if within.column_sums else "not all can be probabilities"),
    ]
    if within.scores:
        rows.append(("holds", holds_text(within.holds)))
        rows.append(("scores", ", ".join(f"{name} {_range_text(*ends)}" for name, ends in within.scores.items())))
    return rows


def _range_text(low: Fraction, high: Fraction) -> str:
    ends = [f"{nearest_float(end):.6f}" for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def audit_rows(found: Audit, file: Path, compared: Compared | None = None) -> list[tuple[str, str]]:
    """Return what the audit found as labels and texts; a row without a label goes on with the one above."""
    rows = [
        ("matrix", f"{file}: {found.n_outputs} outputs x {found.n_inputs} inputs"),
        *privacy_rows(found),
        ("columns", columns_text(found)),
        ("entries", negative_text(found)),
    ]
    if found.scores:
        rows.append(("holds", holds_text(found.holds)))
        rows.append(("scores", ", ".join(f"{name} {nearest_float(value):.6f}" for name, value in found.scores.items())))
    if compared is not None:
        rows.append(("optimum", optimum_text(compared)))
    if found.derivable is not None:
        rows.append(("from GM", derivation_text(found)))
    return rows


def optimum_text(compared: Compared) -> str:
    """Say how far the score of the matrix is from the least that is proved for what was asked."""
    best, excess = compared.best, compared.excess
    bound = f"{nearest_float(best.lower_bound):.{DIGITS}g}"
    what = "proved optimum" if not best.gap else "proved lower bound"
    far = "exactly there" if not excess else f"{nearest_float(abs(excess)):.2g} {'above' if excess > 0 else 'below'} it"
    lacks = ", so it lacks something of what is asked" if excess < 0 else ""
    return f"{best.problem.describe()}: {what} {bound}; this score is {far}{lacks}"


def privacy_rows(found: Audit) -> list[tuple[str, str]]:
    """Return the tightest epsilon for the model's neighbours, then for neighbouring counts and for LDP."""
    rows = [(found.path, "neighbouring counts"), (found.complete, "any two inputs, LDP")]
    if found.model is not None and found.model.name == "ldp":
        rows.reverse()
    elif found.model is not None and found.model.name != "count":
        if found.model.name == "metric" and found.own.alpha is not None:
            length = found.own.length * found.model.unit
            where = f"set by output {found.own.output}, inputs {found.own.low} and {found.own.high}"
            loss = loss_text(found.own.alpha, DIGITS, length)
            text = f"{loss} for each 1 of distance, {where}, {fraction_text(length)} apart"
            return [("epsilon", text), *(("", f"{privacy_text(t)} ({words})") for t, words in rows)]
        rows.insert(0, (found.own, f"neighbours, {found.model.describe()}"))
    return [("" if position else "epsilon", f"{privacy_text(t)} ({words})") for position, (t, words) in enumerate(rows)]


def privacy_text(tightest: Tightest) -> str:
    """Describe a tightest epsilon, and where it is reached."""
    if tightest.alpha is None:
        return f"inf: output {tightest.output} is impossible for input {tightest.low} but not for {tightest.high}"
    shown = f"alpha = {number_text(tightest.alpha)}"
    where = f", set by output {tightest.output}, inputs {tightest.low} and {tightest.high}"
    return (
        f"{loss_text(tightest.alpha, DIGITS, tightest.length)}, {shown}{where if tightest.output is not None else ''}"
    )


def columns_text(found: Audit) -> str:
    """Tell whether the columns sum to 1, and which one is furthest off."""
    if found.column_sums_exact:
        return "every column sums to exactly 1"
    j, worst = max(found.column_errors, key=lambda item: abs(item[1]))
    wrong = f"{len(found.column_errors)} of {found.n_inputs}"
    text = f"{wrong} do not sum to 1; worst: column {j} by {nearest_float(worst):.3g}"
    by_rounding = found.within is not None and found.within.row_sums and not found.within.column_sums
    exactly = abs(worst) > ROUNDING and found.worst_row_error <= ROUNDING
    if exactly or by_rounding:
        do = "the rows do" if exactly else "the rows do, but for rounding"
        text += f"; {do}: use --row-stochastic if the file has one row for each input"
    return text


def negative_text(found: Audit) -> str:
    """Tell how many entries are negative, and where the first is."""
    if not found.negative:
        return "none is negative"
    i, j = found.negative[0]
    return f"{len(found.negative)} negative, first: output {i}, input {j}"


def derivation_text(found: Audit) -> str:
    """Tell whether the matrix can be derived from GM."""
    at = f"GM at alpha = {number_text(found.derivation_alpha)}" if found.derivation_alpha is not None else "GM"
    if found.derivable:
        return f"yes: post-processing {at} gives it"
    if found.violation is not None:
        i, j = found.violation.output, found.violation.input
        return f"no: {at} cannot give output {i} at inputs {j - 1}, {j}, {j + 1}"
    if found.path.alpha is None:
        return "no: its epsilon is infinite"
    return f"no: its epsilon, {loss_text(found.path.alpha, DIGITS)}, is larger than that of {at}{_excess_text(found)}"


def _excess_text(found: Audit) -> str:
    """Say by how much alpha is too small, where that is too little to be seen in epsilon."""
    if found.path.alpha is None or found.derivation_alpha is None:
        return ""
    share = (found.derivation_alpha - found.path.alpha) / found.derivation_alpha
    return f" (alpha is a relative {nearest_float(share):.2g} too small)"


def audit_document(
    found: Audit, file: Path, is_design: bool, mended: Mended | None, compared: Compared | None = None
) -> dict[str, Any]:
    """Return the audit as a JSON document: the contract of `check`, and more keys.

    `kind` is `design` for a design document, else `matrix`; `facts` are the labels and texts of the report. `within` is
    what holds up to the precision of floats or a tolerance, null for exact numbers; the rest is exact.
    """
    return {
        "kind": "design" if is_design else "matrix",
        "passed": found.passed,
        "outputs": found.n_outputs,
        "inputs": found.n_inputs,
        "facts": [list(row) for row in audit_rows(found, file, compared)],
        "within": None if found.within is None else within_entry(found.within),
        "optimum": None if compared is None else optimum_entry(compared),
        "epsilon": "inf" if found.own.alpha is None else found.epsilon,
        "alpha": None if found.alpha is None else fraction_text(found.alpha),
        "at": _place(found.own),
        "model": "count" if found.model is None else found.model.name,
        "complete": {
            "epsilon": "inf" if found.complete.alpha is None else found.complete.epsilon,
            "alpha": None if found.complete.alpha is None else fraction_text(found.complete.alpha),
            "at": _place(found.complete),
        },
        "column_sums_exact": found.column_sums_exact,
        "column_errors": [[j, nearest_float(error)] for j, error in found.column_errors],
        "negative": [list(place) for place in found.negative],
        "rows_sum_to_one": found.worst_row_error <= ROUNDING,
        "holds": list(found.holds),
        "scores": {
            name: {"exact": fraction_text(value), "value": nearest_float(value)} for name, value in found.scores.items()
        },
        "derivable": found.derivable,
        "claims": claim_entries(found.claims),
        "repair": None if mended is None else repair_entry(mended),
    }


def within_entry(within: Within) -> dict[str, Any]:
    """Return as JSON what holds for some matrix so near, each by itself."""
    return {
        "passed": within.passed,
        "tolerance": None if within.tolerance is None else fraction_text(within.tolerance),
        "largest": float_above(within.largest),
        "title": within_title(within),
        "facts": [list(row) for row in within_rows(within)],
        "epsilon": "inf" if math.isinf(within.epsilon) else within.epsilon,
        "column_sums": within.column_sums,
        "holds": list(within.holds),
        "scores": {
            name: {"low": float_below(low), "high": float_above(high)} for name, (low, high) in within.scores.items()
        },
        "claims": claim_entries(within.claims),
    }


def optimum_entry(compared: Compared) -> dict[str, Any]:
    """Return as JSON how far the score is from the optimum."""
    return {
        "loss": compared.best.problem.loss.name,
        "score": {"exact": fraction_text(compared.score), "value": nearest_float(compared.score)},
        "lower_bound": exact_entry(compared.best.lower_bound),
        "status": compared.best.status,
        "text": optimum_text(compared),
    }


def repair_entry(mended: Mended) -> dict[str, Any]:
    """Return what the repair cost as JSON: exact scores before and after, the gap to the optimum, and the words."""
    return {
        "before": {"exact": fraction_text(mended.score_before), "value": nearest_float(mended.score_before)},
        "score": exact_entry(mended.design.score),
        "lower_bound": exact_entry(mended.design.lower_bound),
        "largest_change": nearest_float(mended.largest_change),
        "how": mended.design.how,
        "text": repair_text(mended),
    }


def _place(tightest: Tightest) -> dict[str, int | None] | None:
    if tightest.output is None:
        return None
    return {"output": tightest.output, "low": tightest.low, "high": tightest.high}
