"""Audits on the screen and as JSON: up to the precision of floats, then exactly."""

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechdesign.audits.audit import Audit
from mechdesign.audits.mending import RepairedDesign, ScoreComparison
from mechdesign.audits.within import NearbyProperties
from mechdesign.documents.document import exact_entry
from mechdesign.errors import printable
from mechdesign.mechanism.notebook import score_decimal
from mechdesign.mechanism.tightest import Tightest
from mechdesign.problem.privacy import loss_text, rounded_down, rounded_up
from mechdesign.rational import float_above, float_below, fraction_text, nearest_float, number_text
from mechdesign_cli.showing.claims import claim_entries, print_claims
from mechdesign_cli.showing.headlines import Message
from mechdesign_cli.showing.messages import entries_of
from mechdesign_cli.showing.tables import console, print_facts, properties_text

ROUNDING = 1e-9
"""Sums this close to 1 differ from it by rounding alone."""

DIGITS = 12


def repair_text(mended: RepairedDesign) -> str:
    """Return one line on what the repair cost."""
    design, loss = mended.design, mended.design.problem.loss.name
    return (
        f"repaired for {loss}: score {rounded_up(mended.score_before, 9)} -> {rounded_up(design.score, 9)} "
        f"(change {rounded_up(design.score - mended.score_before, 2)}), largest change of an entry "
        f"{rounded_up(mended.largest_change, 2)}, certified gap to the {loss} optimum {rounded_up(design.gap, 2)}"
    )


def better_text(mended: RepairedDesign) -> str:
    """Say that a design made from nothing scores better than the repair; "" where none does."""
    design, best = mended.design, mended.best
    least, most = rounded_up(best.score, 9), rounded_down(design.score, 9)
    if Fraction(least) >= Fraction(most):
        return ""
    own = rounded_up(design.score, 9)
    return f"A design from nothing scores better under {design.problem.loss.name}: {least}, this repair {own}."


def report(audit: Audit, file: Path, compared: ScoreComparison | None, headline: Sequence[Message]) -> None:
    """Print the audit: the verdict, of floats what holds up to their precision, then what holds exactly."""
    screen = console()
    for _, text in headline:
        screen.print(printable(text))
    if headline:
        screen.print()
    decides = audit.within is not None and audit.within.tolerance is not None
    if audit.within is not None:
        screen.print(printable(within_title(audit.within)))
        print_facts(within_rows(audit.within))
        print_claims(audit.within.claims, decides)
        screen.print("\nExactly as it is written:")
    print_facts(audit_rows(audit, file, compared))
    print_claims(audit.claims, not decides)


def within_title(within: NearbyProperties) -> str:
    """Say which matrices the first verdict is about."""
    if within.tolerance is not None:
        near = f"within the tolerance of {number_text(within.tolerance)} of it in each entry"
    else:
        near = f"as near as its digits tell (within {rounded_up(within.largest, 2)} of it in each entry)"
    return f"Each line is true of some matrix {near}, not always of the same one:"


def within_rows(within: NearbyProperties) -> list[tuple[str, str]]:
    """Return what holds for some matrix so near, as labels and texts."""
    loss = "infinite" if math.isinf(within.epsilon) else f"as small as {rounded_up(Fraction(within.epsilon), DIGITS)}"
    rows = [
        ("epsilon", loss),
        ("columns", "all can sum to exactly 1" if within.column_sums else "not all can be probabilities"),
    ]
    if within.scores:
        rows.append(("holds", properties_text(within.holds)))
        rows.append(("scores", ", ".join(f"{name} {_range_text(*ends)}" for name, ends in within.scores.items())))
    return rows


def _range_text(low: Fraction, high: Fraction) -> str:
    ends = [f"{nearest_float(end):.6f}" for end in (low, high)]  # a score that some matrix so near has, not a bound
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def audit_rows(audit: Audit, file: Path, compared: ScoreComparison | None) -> list[tuple[str, str]]:
    """Return what the audit found as labels and texts; a row without a label goes on with the one above."""
    rows = [
        ("matrix", f"{file}: {audit.n_outputs} outputs x {audit.n_inputs} inputs"),
        *privacy_rows(audit),
        ("columns", columns_text(audit)),
        ("entries", negative_text(audit)),
    ]
    if audit.scores:
        rows.append(("holds", properties_text(audit.holds)))
        rows.append(("scores", ", ".join(f"{name} {score_decimal(value)}" for name, value in audit.scores.items())))
    if compared is not None:
        rows.append(("optimum", optimum_text(compared)))
    if audit.derivable is not None:
        rows.append(("from GM", derivation_text(audit)))
    return rows


def optimum_text(compared: ScoreComparison) -> str:
    """Say how far the score of the matrix is from the least that is proved for what was asked."""
    best, excess = compared.best, compared.excess
    bound = rounded_down(best.lower_bound, DIGITS)
    what = "proved optimum" if not best.gap else "proved lower bound"
    far = f"{rounded_up(excess, 2)} above it" if excess > 0 else f"{rounded_down(-excess, 2)} below it"
    lacks = ", so it lacks something of what is asked" if excess < 0 else ""
    return f"{best.problem.describe()}: {what} {bound}; this score is {far if excess else 'exactly there'}{lacks}"


def privacy_rows(audit: Audit) -> list[tuple[str, str]]:
    """Return the tightest epsilon for the model's neighbours, then for neighbouring counts and for LDP."""
    rows = [(audit.path, "neighbouring counts"), (audit.complete, "any two inputs, LDP")]
    if audit.model is not None and audit.model.name == "ldp":
        rows.reverse()
    elif audit.model is not None and audit.model.name != "count":
        if audit.model.name == "metric" and audit.own.alpha is not None:
            length = audit.own.length * audit.model.unit
            where = f"set by output {audit.own.output}, inputs {audit.own.low} and {audit.own.high}"
            loss = loss_text(audit.own.alpha, DIGITS, length)
            text = f"{loss} for each 1 of distance, {where}, {fraction_text(length)} apart"
            return [("epsilon", text), *(("", f"{privacy_text(t)} ({words})") for t, words in rows)]
        rows.insert(0, (audit.own, f"neighbours, {audit.model.describe()}"))
    return [("" if position else "epsilon", f"{privacy_text(t)} ({words})") for position, (t, words) in enumerate(rows)]


def privacy_text(tightest: Tightest) -> str:
    """Describe a tightest epsilon, and where it is reached."""
    if tightest.alpha is None:
        return f"infinite: output {tightest.output} is impossible for input {tightest.low} but not for {tightest.high}"
    shown = f"alpha = {number_text(tightest.alpha)}"
    where = f", set by output {tightest.output}, inputs {tightest.low} and {tightest.high}"
    return (
        f"{loss_text(tightest.alpha, DIGITS, tightest.length)}, {shown}{where if tightest.output is not None else ''}"
    )


def columns_text(audit: Audit) -> str:
    """Return whether the columns sum to 1, and which one is furthest off."""
    if audit.column_sums_exact:
        return "every column sums to exactly 1"
    j, worst = max(audit.column_errors, key=lambda item: abs(item[1]))
    wrong = f"{len(audit.column_errors)} of {audit.n_inputs}"
    text = f"{wrong} do not sum to 1; worst: column {j} by {nearest_float(worst):.3g}"
    if do := rows_instead(audit):
        text += f"; {do}: use --row-stochastic if the file has one row for each input"
    return text


def rows_instead(audit: Audit) -> str:
    """Say that the rows sum to 1, where the columns do not; "" elsewhere."""
    worst = max((abs(error) for _, error in audit.column_errors), default=Fraction(0))
    if worst > ROUNDING and audit.worst_row_error <= ROUNDING:
        return "the rows do"
    by_rounding = audit.within is not None and audit.within.row_sums and not audit.within.column_sums
    return "the rows do, but for rounding" if by_rounding else ""


def negative_text(audit: Audit) -> str:
    """Return how many entries are negative, and where the first is."""
    if not audit.negative:
        return "none is negative"
    i, j = audit.negative[0]
    return f"{len(audit.negative)} negative, first: output {i}, input {j}"


def derivation_text(audit: Audit) -> str:
    """Return whether the matrix can be derived from GM."""
    at = f"GM at alpha = {number_text(audit.derivation_alpha)}" if audit.derivation_alpha is not None else "GM"
    if audit.derivable:
        return f"yes: post-processing {at} gives it"
    if audit.violation is not None:
        i, j = audit.violation.output, audit.violation.input
        return f"no: {at} cannot give output {i} at inputs {j - 1}, {j}, {j + 1}"
    if audit.path.alpha is None:
        return "no: its epsilon is infinite"
    return f"no: its epsilon, {loss_text(audit.path.alpha, DIGITS)}, is larger than that of {at}{_excess_text(audit)}"


def _excess_text(audit: Audit) -> str:
    """Say by how much alpha is too small, where that is too little to be seen in epsilon."""
    if audit.path.alpha is None or audit.derivation_alpha is None:
        return ""
    share = (audit.derivation_alpha - audit.path.alpha) / audit.derivation_alpha
    return f" (alpha is {100 * nearest_float(share):.2g} % too small)"


def audit_document(
    audit: Audit,
    file: Path,
    compared: ScoreComparison | None,
    headline: Sequence[Message],
    is_design: bool,
    mended: RepairedDesign | None,
    cells: dict[str, Any],
) -> dict[str, Any]:
    """Return the audit as a JSON document: the contract of `check`, and more keys.

    `kind` is `design` for a design document, else `matrix`; `facts` are the labels and texts of the report. `within` is
    what holds up to the precision of floats or a tolerance, null for exact numbers; the rest is exact.
    `cells` has the matrix to be drawn, as `drawn_cells` makes it; `headline` is the verdict in a few sentences.
    """
    return {
        "kind": "design" if is_design else "matrix",
        "passed": audit.passed,
        "headline": [{"kind": kind, "text": text} for kind, text in headline],
        "outputs": audit.n_outputs,
        "inputs": audit.n_inputs,
        "facts": [list(row) for row in audit_rows(audit, file, compared)],
        "within": None if audit.within is None else within_entry(audit.within),
        "optimum": None if compared is None else optimum_entry(compared),
        **_privacy_entries(audit.own, audit.epsilon, audit.alpha),
        "model": "count" if audit.model is None else audit.model.name,
        "complete": _privacy_entries(audit.complete, audit.complete.epsilon, audit.complete.alpha),
        "column_sums_exact": audit.column_sums_exact,
        "column_errors": [[j, nearest_float(error)] for j, error in audit.column_errors],
        "negative": [list(place) for place in audit.negative],
        "rows_sum_to_one": audit.worst_row_error <= ROUNDING,
        "rows_instead": bool(rows_instead(audit)),
        "holds": list(audit.holds),
        "scores": {name: exact_entry(value) for name, value in audit.scores.items()},
        "derivable": audit.derivable,
        "claims": claim_entries(audit.claims),
        "cells": cells,
        "repair": None if mended is None else repair_entry(mended),
    }


def within_entry(within: NearbyProperties) -> dict[str, Any]:
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


def optimum_entry(compared: ScoreComparison) -> dict[str, Any]:
    """Return as JSON how far the score is from the optimum."""
    return {
        "loss": compared.best.problem.loss.name,
        "score": exact_entry(compared.score),
        "lower_bound": exact_entry(compared.best.lower_bound),
        "status": compared.best.status,
        "text": optimum_text(compared),
    }


def repair_entry(mended: RepairedDesign) -> dict[str, Any]:
    """Return what the repair cost as JSON: exact scores before and after, the gap to the optimum, and the words."""
    return {
        "before": exact_entry(mended.score_before),
        "score": exact_entry(mended.design.score),
        "lower_bound": exact_entry(mended.design.lower_bound),
        "status": mended.design.status,
        "best": exact_entry(mended.best.score),
        "better": better_text(mended),
        "largest_change": nearest_float(mended.largest_change),
        "how": mended.design.how,
        "text": repair_text(mended),
    }


def _privacy_entries(tightest: Tightest, epsilon: float, alpha: Fraction | None) -> dict[str, Any]:
    at = None if tightest.output is None else entries_of(tightest, "output", "low", "high")
    shown = None if alpha is None else fraction_text(alpha)
    return {"epsilon": "inf" if tightest.alpha is None else epsilon, "alpha": shown, "at": at}
