"""Run `mechdesign derive`: find whether a mechanism is GM followed by randomised post-processing.

GM is the truncated geometric mechanism.
"""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from mechdesign.audits.derivation import Derivation, LawDerivation, Obstacle, derive_law
from mechdesign.audits.derivation import derive as derive_from_gm
from mechdesign.audits.within import Box
from mechdesign.documents.document import Document, document_text
from mechdesign.documents.files import Rows, csv_text, npz_bytes
from mechdesign.documents.laws import StoredLaw
from mechdesign.documents.storage import MECHANISM_SUFFIXES, StoredMatrix, read_stored, require_matrix
from mechdesign.errors import InputError, quote
from mechdesign.exports.exact_text import exactness_notes
from mechdesign.laws.law import Law
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.privacy import Privacy, loss_above, loss_text, privacy_if_given
from mechdesign.rational import fraction_text, nearest_float, number_text, total
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.data_options import refuse_options
from mechdesign_cli.showing.messages import remark, say
from mechdesign_cli.showing.tables import console, facts, print_matrix

NO = 1
ROUNDING = 1e-9
"""Numbers this close differ by rounding alone."""

LONGEST_NUMBER = 40
MOST_LISTED = 10
SOURCES = {"document": "from the document", "option": "as asked", "tightest": "the tightest of this matrix"}


def derive(
    file: Annotated[Path, typer.Argument(help="A mechanism for counts: .json, .csv, .npz or .npy, or a law.")],
    n: options.SizeOfLaw = None,
    alpha: options.Alpha = None,
    epsilon: options.Epsilon = None,
    output: options.MatrixOutputs = None,
    plot: options.Plot = None,
    row_stochastic: options.RowStochastic = False,
    json: options.Json = False,
) -> int:
    """Find the remap T with P = T GM, where GM is the truncated geometric mechanism.

    GM is taken at the document's alpha, else at the one given, else at the tightest alpha of the matrix. T[i,k] =
    Pr[final output i | GM output k] is printed, and written to --output and --plot. Exit code 1 when there is none.

    For a law, one mechanism for groups of every size, the answer is that of every n, or with --n that of one.

    Example: mechdesign derive design.json --output remap.json --plot remap.png
    """
    stated = privacy_if_given(alpha, epsilon)
    targets = list(dict.fromkeys([*(output or []), *([plot] if plot is not None else [])]))
    require_targets(output or [], plot, [file], MECHANISM_SUFFIXES)
    read = read_stored(file)
    if isinstance(read, StoredLaw):
        if row_stochastic:
            raise InputError("--row-stochastic goes with plain matrices, got it with a law")
        law, source = read.proved(file), "document"
        _say_which(stated, law.problem.privacy.alpha)
        if n is None and read.n is None:
            return _of_law(law, file, targets, json)
        mechanism = law.at(read.size(n, file))
        found = derive_from_gm(mechanism, law.problem.privacy.alpha)
    else:
        refuse_options({"n": n}, "a law", "a matrix")
        mechanism, found, source = _of_matrix(require_matrix(read, file), file, stated, row_stochastic)
        _say_which(stated, found.alpha)
    result = remap_document(found, mechanism, source)
    if found.remap is None:
        for path in targets:
            say(f"there is no remap: {path} was not written")
    else:
        write_and_say({path: _content(found, found.remap, result, path) for path in targets})
        for note in exactness_notes(targets, "a .json or .npz"):
            say(note)
    if json:
        print(document_text(result), end="")
    else:
        report(found, mechanism, source, file)
    return 0 if found.derivable else NO


def _say_which(stated: Privacy | None, used: Fraction) -> None:
    """Say that the alpha of a document is used where another one was given."""
    if stated is not None and stated.alpha != used:
        remark(f"alpha = {number_text(used)} of the document is used; --alpha and --epsilon are for plain matrices")


def _of_matrix(
    stored: StoredMatrix, file: Path, stated: Privacy | None, row_stochastic: bool
) -> tuple[Mechanism, Derivation, str]:
    """Return a matrix, the answer, and where GM's alpha comes from."""
    if row_stochastic:
        stored = stored.transposed()
    if stored.document is not None:
        _require_count(stored.document, file)
    base, source = _gm_alpha(stored.document, None if stated is None else stated.alpha)
    return *_answer(stored, base, file), source


def _of_law(law: Law, file: Path, targets: list[Path], json: bool) -> int:
    """Answer for every n."""
    for path in targets:
        if path.suffix.lower() != ".json":
            raise InputError(f"--output of a law for every n must end in .json, got {path}; state --n for others")
    found = derive_law(law)
    result = law_document(found)
    if found.derivable:
        write_and_say({path: document_text(result).encode() for path in targets})
    else:
        for path in targets:
            say(f"there is no remap: {path} was not written")
    if json:
        print(document_text(result), end="")
    else:
        report_law(found, file)
    return 0 if found.derivable else NO


def law_document(found: LawDerivation) -> dict[str, Any]:
    """Return the answer for every n as a JSON document; `remap` is T at one end of the outputs."""
    remap = found.remap
    return {
        "derivable": found.derivable,
        "alpha": fraction_text(found.first.alpha),
        "alpha_from": "document",
        "epsilon": loss_above(found.first.alpha),
        "n": {"from": found.law.least},
        "same_at_every_n": found.is_uniform,
        "remap": None if remap is None else exact_rows(remap),
        "remap_at": None if remap is None else found.law.least,
        "fails_at": found.fails_at,
        "violation": None if found.obstacle is None else _violation(found.obstacle),
    }


def report_law(found: LawDerivation, file: Path) -> None:
    """Print the answer for every n: facts first, then the remap of one end while it fits."""
    screen, law = console(), found.law
    alpha = number_text(found.first.alpha)
    rows = [
        ("law", f"{file}: {law.shape}"),
        ("alpha", f"{alpha}, {SOURCES['document']}; epsilon = {loss_text(found.first.alpha)}"),
    ]
    if found.obstacle is None:
        rows += [("from GM", f"yes, for every n from {law.least} on: P = T GM exactly"), ("remap", _ends_text(found))]
    else:
        assert found.fails_at is not None
        scope = "at no n" if found.is_uniform else f"not at n = {found.fails_at}"
        rows += _no(found.obstacle, found.first.tightest, alpha, scope, f", at n = {found.fails_at}")
    screen.print(facts(rows, screen.width))
    if found.remap is not None:
        at = "" if found.is_uniform else f", at n = {law.least}"
        print_matrix(found.remap, "remap", f"Pr[final output i | GM output k] at one end{at}", corner="i\\k")


def _ends_text(found: LawDerivation) -> str:
    """Describe the remap of every n."""
    remap = found.remap
    assert remap is not None
    if remap.n_inputs == 1:
        return "the identity, so this is GM itself"
    own = f"outputs 0..{remap.n_inputs - 1} of GM by the table, the other end as its mirror image, all others stay"
    return own if found.is_uniform else f"{own}; its entries change a little with n"


def _require_count(document: Document, file: Path) -> None:
    """GM is a mechanism for counts; what other models hold is refused."""
    model = document.raw["problem"]["model"]
    if model != "count":
        raise InputError(f"model must be count to be derived from GM, got {quote(model)} in {file}")


def _gm_alpha(document: Document | None, stated: Fraction | None) -> tuple[Fraction | None, str]:
    """GM's alpha (None for the tightest) and where it comes from."""
    if document is None:
        return stated, "tightest" if stated is None else "option"
    return document.problem.alpha, "document"


def _answer(stored: StoredMatrix, alpha: Fraction | None, file: Path) -> tuple[Mechanism, Derivation]:
    try:
        mechanism = stored.document.mechanism() if stored.document else Mechanism.from_fractions(stored.rows)
        return mechanism, derive_from_gm(mechanism, alpha)
    except InputError as error:
        raise InputError(f"{error} in {file}; {_way_out(stored, file)}") from None


def _way_out(stored: StoredMatrix, file: Path) -> str:
    """What to do about a file that holds no mechanism, or one of infinite epsilon."""
    height, width = len(stored.rows), len(stored.rows[0])
    if stored.document is not None:
        return f"mechdesign check {file} lists what is wrong with it"
    if width < 2:
        return "write one column for each count 0..n"
    columns = [list(column) for column in zip(*stored.rows, strict=True)]
    near = None if stored.halves is None else Box(stored.rows, stored.halves)
    by_rounding = near is not None and near.has_probabilities_in_rows and not near.has_probabilities
    if by_rounding or (_sum_to_one(stored.rows) and not _sum_to_one(columns)):
        return "its rows do: add --row-stochastic (or leave it out, where it was given)"
    mend = f"mend it with mechdesign check {file} --alpha A --repair OUT.json"
    if all(total(column) == 1 for column in columns):  # what is wrong is its epsilon, or a sign
        return mend if height == width else "GM gives it at no alpha"
    fractions = "write its entries as exact fractions such as 1/3"
    return f"use the .json design that it came from, {fractions}, or {mend}" if height == width else fractions


def _sum_to_one(rows: Rows) -> bool:
    return all(abs(total(row) - 1) <= ROUNDING for row in rows)


def remap_document(found: Derivation, mechanism: Mechanism, source: str) -> dict[str, Any]:
    """Return the answer as a JSON document: the contract of `derive`, and more keys."""
    remap, obstacle = found.remap, found.obstacle
    return {
        "derivable": found.derivable,
        "alpha": fraction_text(found.alpha),
        "alpha_from": source,
        "epsilon": loss_above(found.alpha),
        "tightest_alpha": None if found.tightest is None else fraction_text(found.tightest),
        "n_outputs": mechanism.n_outputs,
        "n_inputs": mechanism.n_inputs,
        "remap": None if remap is None else exact_rows(remap),
        "deterministic": None if remap is None else None not in found.targets,
        "targets": None if remap is None else list(found.targets),
        "violation": None if obstacle is None else _violation(obstacle),
    }


def _violation(obstacle: Obstacle) -> dict[str, Any]:
    return {
        "kind": obstacle.kind,
        "output": obstacle.output,
        "inputs": list(obstacle.inputs),
        "probabilities": [fraction_text(value) for value in obstacle.probabilities],
        "inequality": obstacle.inequality,
        "left": fraction_text(obstacle.left),
        "right": fraction_text(obstacle.right),
    }


def exact_rows(matrix: Mechanism) -> list[list[str]]:
    """Write every entry as `p/q`."""
    return [[fraction_text(matrix.fraction(i, k)) for k in range(matrix.n_inputs)] for i in range(matrix.n_outputs)]


def _content(found: Derivation, remap: Mechanism, result: dict[str, Any], path: Path) -> bytes:
    """What a file of this suffix holds: the answer (.json), the plain matrix (.csv), both (.npz), or a picture."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        return document_text(result).encode()
    if suffix == ".csv":
        return csv_text(remap.matrix()).encode()
    if suffix == ".npz":
        return npz_bytes(remap.matrix(), document_text(result))
    from mechdesign_figures.plots.heatmap import plot_remap
    from mechdesign_figures.plots.parts.saving import picture_bytes

    return picture_bytes(plot_remap(found), suffix)


def report(found: Derivation, mechanism: Mechanism, source: str, file: Path) -> None:
    """Print the answer: facts first, then the remap while it fits."""
    screen = console()
    alpha = number_text(found.alpha)
    rows = [
        ("matrix", f"{file}: {mechanism.n_outputs} outputs x {mechanism.n_inputs} inputs"),
        ("alpha", f"{alpha}, {SOURCES[source]}; epsilon = {loss_text(found.alpha)}"),
        *(_yes(found) if found.obstacle is None else _no(found.obstacle, found.tightest, alpha)),
    ]
    screen.print(facts(rows, screen.width))
    if found.remap is not None:
        print_matrix(found.remap, "remap", "Pr[final output i | GM output k]", corner="i\\k")


def _yes(found: Derivation) -> list[tuple[str, str]]:
    rows = [("from GM", "yes: P = T GM exactly: draw k from GM, then i with probability T[i,k]")]
    if found.alpha == 1:
        rows = [("from GM", "yes: it ignores its input, so GM at any alpha gives it, by this remap")]
    return [*rows, ("remap", remap_text(found.targets))]


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
