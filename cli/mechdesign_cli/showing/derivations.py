"""Derivations in words and as JSON: a matrix or a law as remapped geometric noise."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechdesign.audits.derivation import Derivation, LawDerivation, Obstacle
from mechdesign.exports.exact_text import fraction_rows
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.privacy import loss_above, loss_text
from mechdesign.rational import fraction_text, nearest_float, number_text
from mechdesign_cli.showing.messages import entries_of
from mechdesign_cli.showing.tables import print_facts, print_matrix

ROUNDING = 1e-9
"""Numbers this close differ by rounding alone."""

LONGEST_NUMBER = 40
MOST_LISTED = 10
SOURCES = {"document": "from the document", "option": "as asked", "tightest": "the tightest of this matrix"}


def law_remap_document(derivation: LawDerivation) -> dict[str, Any]:
    """Return the answer for every n as a JSON document; `remap` is T at one end of the outputs."""
    remap = derivation.remap
    return {
        "derivable": derivation.derivable,
        "alpha": fraction_text(derivation.first.alpha),
        "alpha_from": "document",
        "epsilon": loss_above(derivation.first.alpha),
        "n": {"from": derivation.law.least},
        "same_at_every_n": derivation.is_uniform,
        "remap": None if remap is None else fraction_rows(remap),
        "remap_at": None if remap is None else derivation.law.least,
        "fails_at": derivation.fails_at,
        "violation": None if derivation.obstacle is None else _violation(derivation.obstacle),
    }


def report_law_remap(file: Path, derivation: LawDerivation) -> None:
    """Print the answer for every n: facts first, then the remap of one end while it fits."""
    law = derivation.law
    alpha = number_text(derivation.first.alpha)
    rows = [
        ("law", f"{file}: {law.shape}"),
        ("alpha", f"{alpha}, {SOURCES['document']}; epsilon = {loss_text(derivation.first.alpha)}"),
    ]
    if derivation.obstacle is None:
        rows += [
            ("from GM", f"yes, for every n from {law.least} on: P = T GM exactly"),
            ("remap", _ends_text(derivation)),
        ]
    else:
        assert derivation.fails_at is not None
        scope = "at no n" if derivation.is_uniform else f"not at n = {derivation.fails_at}"
        rows += _no(derivation.obstacle, derivation.first.tightest, alpha, scope, f", at n = {derivation.fails_at}")
    print_facts(rows)
    if derivation.remap is not None:
        at = "" if derivation.is_uniform else f", at n = {law.least}"
        print_matrix(derivation.remap, "remap", f"Pr[final output i | GM output k] at one end{at}", corner="i\\k")


def _ends_text(derivation: LawDerivation) -> str:
    """Describe the remap of every n."""
    remap = derivation.remap
    assert remap is not None
    if remap.n_inputs == 1:
        return "the identity, so this is GM itself"
    own = f"outputs 0..{remap.n_inputs - 1} of GM by the table, the other end as its mirror image, all others stay"
    return own if derivation.is_uniform else f"{own}; its entries change a little with n"


def remap_document(derivation: Derivation, mechanism: Mechanism, source: str) -> dict[str, Any]:
    """Return the answer as a JSON document: the contract of `derive`, and more keys."""
    remap, obstacle = derivation.remap, derivation.obstacle
    return {
        "derivable": derivation.derivable,
        "alpha": fraction_text(derivation.alpha),
        "alpha_from": source,
        "epsilon": loss_above(derivation.alpha),
        "tightest_alpha": None if derivation.tightest is None else fraction_text(derivation.tightest),
        **entries_of(mechanism, "n_outputs", "n_inputs"),
        "remap": None if remap is None else fraction_rows(remap),
        "deterministic": None if remap is None else None not in derivation.targets,
        "targets": None if remap is None else list(derivation.targets),
        "violation": None if obstacle is None else _violation(obstacle),
    }


def _violation(obstacle: Obstacle) -> dict[str, Any]:
    return {
        **entries_of(obstacle, "kind", "output"),
        "inputs": list(obstacle.inputs),
        "probabilities": [fraction_text(value) for value in obstacle.probabilities],
        "inequality": obstacle.inequality,
        "left": fraction_text(obstacle.left),
        "right": fraction_text(obstacle.right),
    }


def report_remap(file: Path, derivation: Derivation, mechanism: Mechanism, source: str) -> None:
    """Print the answer: facts first, then the remap while it fits."""
    alpha = number_text(derivation.alpha)
    rows = [
        ("matrix", f"{file}: {mechanism.n_outputs} outputs x {mechanism.n_inputs} inputs"),
        ("alpha", f"{alpha}, {SOURCES[source]}; epsilon = {loss_text(derivation.alpha)}"),
        *(_yes(derivation) if derivation.obstacle is None else _no(derivation.obstacle, derivation.tightest, alpha)),
    ]
    print_facts(rows)
    if derivation.remap is not None:
        print_matrix(derivation.remap, "remap", "Pr[final output i | GM output k]", corner="i\\k")


def _yes(derivation: Derivation) -> list[tuple[str, str]]:
    rows = [("from GM", "yes: P = T GM exactly: draw k from GM, then i with probability T[i,k]")]
    if derivation.alpha == 1:
        rows = [("from GM", "yes: it ignores its input, so GM at any alpha gives it, by this remap")]
    return [*rows, ("remap", remap_text(derivation.targets))]


def _no(
    obstacle: Obstacle, tightest: Fraction | None, alpha: str, scope: str = "", at: str = ""
) -> list[tuple[str, str]]:
    """Say why not; `scope` says at which n, and `at` at which n the numbers are, of a law."""
    i, inputs = obstacle.output, " and ".join(", ".join(map(str, obstacle.inputs)).rsplit(", ", 1))
    reason = f"GM at alpha = {alpha} cannot give output {i} at inputs {inputs}"
    if obstacle.kind == "privacy":
        own = "infinite epsilon" if tightest is None else f"tightest alpha {number_text(tightest)}"
        reason = f"it is not private enough ({own}): all that GM at alpha = {alpha} gives is alpha-DP"
    excess = obstacle.right - obstacle.left
    rows = [
        ("from GM", f"no{f', {scope}' if scope else ''}: {reason}"),
        ("needed", f"{obstacle.inequality}{at}"),
        ("left", _number(obstacle.left)),
        ("right", f"{_number(obstacle.right)}, larger by {nearest_float(excess):.3g}"),
    ]
    for j, value in zip(obstacle.inputs, obstacle.probabilities, strict=True):
        rows.append((f"  P[{i},{j}]", _number(value)))
    if excess <= ROUNDING * max(obstacle.probabilities):
        rows.append(
            ("note", "it fails by no more than a rounding error: if it was rounded or repaired, use its .json design")
        )
    return rows


def remap_text(targets: Sequence[int | None]) -> str:
    """Describe the remap: where it is random, and where each GM output goes."""
    drawn = [k for k, target in enumerate(targets) if target is None]
    if not drawn:
        if list(targets) == list(range(len(targets))):
            return "deterministic: the identity, so this is GM itself"
        return f"deterministic: {runs(targets)}"
    shown = ", ".join(map(str, drawn[:MOST_LISTED])) + (", ..." if len(drawn) > MOST_LISTED else "")
    fixed = runs(targets)
    return f"random at {len(drawn)} of {len(targets)} GM outputs ({shown})" + (f"; fixed: {fixed}" if fixed else "")


def runs(targets: Sequence[int | None]) -> str:
    """Describe the fixed outputs in short: `0..2 -> 2, 3..5 -> same, 6 -> 5`.

    Each fixed GM output and what it becomes, long runs in one piece.
    """
    pieces = []
    k = 0
    while k < len(targets):
        target = targets[k]
        alike = next((m for m in range(k, len(targets)) if targets[m] != target), len(targets))
        same = next((m for m in range(k, len(targets)) if targets[m] != m), len(targets))
        if target is None:
            k = alike
        elif same > k + 2 and same > alike:
            pieces.append(f"{k}..{same - 1} -> same")
            k = same
        else:
            pieces.append(f"{k}..{alike - 1} -> {target}" if alike > k + 1 else f"{k} -> {target}")
            k = alike
    return ", ".join(pieces)


def _number(value: Fraction) -> str:
    text, decimal = fraction_text(value), f"{nearest_float(value):.9g}"
    if value.denominator == 1:
        return text
    return f"{text} = {decimal}" if len(text) <= LONGEST_NUMBER else f"about {decimal}"
