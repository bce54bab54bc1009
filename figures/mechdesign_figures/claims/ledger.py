"""The ledger of claims: each with what was measured, as a page of Markdown."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mechdesign.arguments import checked
from mechdesign.errors import InputError
from mechdesign_figures.claims import commuting, optimal, several_attributes, telemetry
from mechdesign_figures.claims.claim import GROUPS, Claim
from mechdesign_figures.claims.counts import (
    fair,
    geometric,
    guessing,
    honest_columns,
    local,
    on_data,
    subsets,
    symmetry,
    unconstrained,
    weak,
)
from mechdesign_figures.claims.marginals import budgets, coefficients, decoding, efron_stein, growth, methods, uses
from mechdesign_figures.claims.marginals import theorems as marginal_theorems
from mechdesign_figures.claims.ranges import (
    consistency,
    experiments,
    fanouts,
    lengths,
    printed_numbers,
    tables,
    theorems,
)
from mechdesign_figures.claims.verdict import Finding, Verdict
from mechdesign_figures.studies.design_cache import DesignCache

MODULES = (
    symmetry,
    geometric,
    fair,
    subsets,
    weak,
    unconstrained,
    guessing,
    on_data,
    local,
    honest_columns,
    commuting,
    several_attributes,
    telemetry,
    theorems,
    consistency,
    fanouts,
    lengths,
    printed_numbers,
    tables,
    experiments,
    marginal_theorems,
    growth,
    methods,
    budgets,
    decoding,
    uses,
    coefficients,
    efron_stein,
    optimal,
)
CLAIMS: tuple[Claim, ...] = tuple(
    claim for group in GROUPS for module in MODULES for claim in module.CLAIMS if claim.source == group
)
"""All claims, group by group."""

HEAD = """\
# Claims

What Cormode, Kulkarni and Srivastava, "Constrained Private Mechanisms for Count Data" (ICDE 2018, TKDE 2019; numbers as
in chapter 6 of Kulkarni's thesis) say, in our words, and what came out when it was measured here. Mechanisms are exact,
designs are certified, expectations are computed and not simulated. Made by `mechdesign reproduce --claims`.
The last six groups are of other sources, which their titles name; what is simulated there says so.

Verdicts are computed from cases. **holds**: true in every case tried. **holds with a condition**: false in some, and
true exactly where the condition that is named is met. **does not hold here**: anything else; the worst case is shown.
The cases are finitely many: "holds" is no proof. The theorem of our own has one, in the file that its row names.
"Read as" marks our reading of words that leave room.

Numbers are given where we know them: Example 1, theorems 8 and 10, and the figures. The other theorems (9, 11 to 13)
and lemmas 11 to 15 are covered by subject, because their numbering is not known to us. Where a theorem names a range,
it is judged in that range first, and a row after it tells what is true beyond.

The group on commuting is about a thesis on frequency estimation of commuters under local differential privacy. Its
census is not public here: people made up by our generator, with the published sizes, stand in, so what depends on the
spread of the people (ranks, post-processing) need not be as published. Errors there are exact expectations too,
unless a row says that they were measured; those come from fixed seeds.

The group on ranges is about chapter 5 of the thesis. Variances are exact, at uniform shares unless a row says
otherwise; B is a tree's fan-out, k the number of items, r a range's length, h the number of levels, and V0 is
4 x/(x - 1)^2 with x = e^epsilon. The published data do not come along. Rows that begin with "ours" are not the
chapter's.

The group on marginals is about chapter 4 of the thesis. Errors are expected total variation distances, half the sum of
the absolute errors of a table's cells, from exact variances where estimates are taken to be normal; d is the number of
attributes (of two items unless a row says otherwise), k how many a table has, n the number of users, T the number of
Hadamard coefficients of 1 to k attributes, and x = e^epsilon. Made-up users stand in for the published data. Rows that
begin with "ours" are not the chapter's.

The group on optimality is about what papers on local mechanisms call optimal or the best. The least variance of all
mechanisms (one report a user, linear unbiased estimates) is certified from both sides by a design for the workload.
Variances are sums over the queries, for one user, at uniform shares; every mechanism has its best linear
reconstruction from full reports, so estimators as published may lose more. Papers compare fewer mechanisms, and
"read as" says what was tried. k is the number of items.
"""


@dataclass(frozen=True)
class MeasuredClaim:
    """A claim with what was found of it; None where its data are missing, and why."""

    claim: Claim
    finding: Finding | None
    missing: str = ""


@checked
def measure_claims(
    cache: DesignCache | None = None,
    quick: bool = False,
    report: Callable[[int], None] = lambda done: None,
    claims: Sequence[Claim] = CLAIMS,
) -> list[MeasuredClaim]:
    """Measure the statements of the published studies, and say which hold.

    Args:
        cache: where designs are solved, each once; a new one by default.
        quick: fewer settings, for tests.
        report: told how many of the claims are done.
        claims: which; all of them by default.

    Returns:
        Each claim with its finding, in order; without one where its data cannot be had.
    """
    found, own = [], cache or DesignCache()
    for done, claim in enumerate(claims, start=1):
        found.append(_measured(claim, own, quick))
        report(done)
    return found


def _measured(claim: Claim, cache: DesignCache, quick: bool) -> MeasuredClaim:
    try:
        return MeasuredClaim(claim, claim.measure(cache, quick))
    except InputError as error:  # the settings are the claim's own: only its data can be at fault
        return MeasuredClaim(claim, None, str(error))


def claims_text(
    cache: DesignCache,
    quick: bool = False,
    report: Callable[[int], None] = lambda done: None,
    claims: Sequence[Claim] = CLAIMS,
) -> str:
    """Measure the claims and write the page `CLAIMS.md`.

    Args:
        cache: where designs are solved, each once.
        quick: fewer settings, for tests.
        report: told how many of the claims are done.
        claims: which; all of them by default.
    """
    return claims_page(measure_claims(cache, quick, report, claims))


@checked
def claims_page(claims: Sequence[MeasuredClaim]) -> str:
    """Write the ledger of claims as a page of Markdown: head, counts of the verdicts, and a table for each group."""
    return "\n".join(_lines(claims))


def _lines(claims: Sequence[MeasuredClaim]) -> Iterator[str]:
    yield HEAD
    yield f"{_counts(claims)}.\n"
    for group in GROUPS:
        rows = [_row(measured) for measured in claims if measured.claim.source == group]
        if not rows:
            continue
        yield f"## {group[0].upper()}{group[1:]}\n"
        yield "| claim | measured | verdict |"
        yield "| --- | --- | --- |"
        yield from rows
        yield ""


def _counts(claims: Sequence[MeasuredClaim]) -> str:
    verdicts = [measured.finding.verdict for measured in claims if measured.finding]
    parts = [f"{verdict.value} {verdicts.count(verdict)}" for verdict in Verdict]
    missing = len(claims) - len(verdicts)
    return f"{len(claims)} claims. Verdicts: {', '.join(parts)}" + (f", not measured {missing}" if missing else "")


def _row(measured: MeasuredClaim) -> str:
    finding = measured.finding
    cells = (
        (measured.claim.statement, finding.numbers, finding.verdict.value)
        if finding
        else (measured.claim.statement, measured.missing, "not measured")
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
