"""Estimates as a report, a JSON document and a CSV table."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechdesign.counts.estimation import Estimate, Interval, MeanEstimate, Posterior
from mechdesign.counts.estimation.inversion import LARGEST_INVERSE, LARGEST_SYSTEM
from mechdesign.documents.tabular import Column, Table
from mechdesign.rational import nearest_float
from mechdesign_cli.showing.tables import ERROR, console, print_facts, print_table

UNTOLD = "too few counts to estimate their distribution, by either method"
SEEN = 1e-4
"""A share as small as this is no more than the end of an iteration."""

FEW_GROUPS = 30
"""Fewer do not make a mean normal, by the usual rule of thumb."""

UNSEEN = 0.05
"""The chance left for what is said of counts that were not released."""

PRIVACY = (
    "costs nothing: all of this is post-processing, from the released counts and the public mechanism alone. That "
    "holds for real releases; counts made with --seed are a simulation and were never private"
)


@dataclass(frozen=True)
class Answer:
    """An estimate, and what was asked of which files."""

    file: Path
    mechanism_file: Path
    estimate: Estimate
    level: Fraction
    posterior: Posterior | None
    prior: str


def estimate_csv(estimate: Estimate) -> bytes:
    """Write one row for each count, in shares.

    Cells are empty where the inversion or its errors do not exist.
    """
    return Table(_finite(estimate.tabulate().columns)).csv_bytes()


def estimate_document(answer: Answer) -> dict[str, Any]:
    """Return the JSON document of `estimate`.

    Shares are floats, null where they do not exist or are too large for one.
    """
    found, one = answer.estimate, answer.posterior
    likelihood = found.likelihood
    document = {
        "n": len(found.counts) - 1,
        "groups": found.releases,
        "counts": list(found.counts),
        "released": list(found.released_shares),
        "likelihood": {
            **asdict(likelihood),
            "converged": likelihood.converged,
            "mean": likelihood.mean,
        },
        "rank": found.rank,
        "identifiable": None if found.rank is None else not found.is_singular,
        "inversion": None if found.inversion is None else asdict(found.inversion),
        "mean": None if found.mean is None else _mean_document(found.mean, len(found.counts) - 1),
        "posterior": None if one is None else _posterior_document(one, answer),
        "privacy": PRIVACY,
    }
    return {key: _finite(value) for key, value in document.items()}


def _finite(value: Any) -> Any:
    """The same, with None for every float that neither JSON nor a table of numbers has."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _mean_document(mean: MeanEstimate, n: int) -> dict[str, Any]:
    return {**asdict(mean), "share_of_people": mean.value / n}


def _posterior_document(one: Posterior, answer: Answer) -> dict[str, Any]:
    likely = one.credible_set(answer.level)
    return {
        "released": one.released,
        "prior": answer.prior,
        "distribution": [nearest_float(chance) for chance in one.probabilities],
        "mode": one.mode,
        "mean": nearest_float(one.mean),
        "credible_set": list(likely),
        "credible_set_probability": nearest_float(one.chance(likely)),
    }


def report(answer: Answer) -> None:
    """Print the facts first, then the table of shares."""
    screen = console()
    found = answer.estimate
    n = len(found.counts) - 1
    rows = [
        ("released", f"{_counted(found.releases, 'count')} in 0..{n}: {answer.file}, through {answer.mechanism_file}"),
        ("privacy", PRIVACY),
        ("likelihood", _likelihood_text(found)),
        ("inversion", _inversion_text(found)),
        *_mean_facts(found, n),
        *([] if answer.posterior is None else [("posterior", _posterior_text(answer.posterior, answer))]),
    ]
    print_facts(rows)
    screen.print("\nshares of groups by count")
    _print_shares(found, answer.posterior)


def _likelihood_text(estimate: Estimate) -> str:
    best = estimate.likelihood
    carrying = sum(share > SEEN for share in best.distribution)
    proof = f"proved within {best.bound:.1e} of the largest" + ("" if best.converged else ", NOT within the tolerance")
    if best.tolerance > best.tolerance_asked:
        proof += (
            f" (tolerance {best.tolerance:.1e}: rounding allows no smaller one; {best.tolerance_asked:g} was asked)"
        )
    text = (
        f"log-likelihood {best.log_likelihood:.6f} after {_counted(best.iterations, 'iteration')}, {proof}; "
        f"{carrying} of {len(best.distribution)} shares are above {SEEN:g}"
    )
    return f"{text}; others may be as likely, as the matrix is singular" if estimate.is_singular else text


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _inversion_text(estimate: Estimate) -> str:
    if estimate.is_singular:
        return f"none: the matrix is singular, of exact rank {estimate.rank} where {len(estimate.counts)} is needed"
    if estimate.inversion is None:
        return f"not computed: it is solved in rationals, up to n = {LARGEST_INVERSE - 1}"
    text = "unbiased, hence not clipped: shares may be negative or above 1"
    errors = estimate.inversion.standard_errors
    if errors is None:
        return f"{text}; standard errors unknown, from one release: {UNTOLD}"
    largest = max(errors)
    text += f"; standard errors up to {largest:.2g}"
    if max(estimate.counts) == estimate.releases:
        return f"{text}, of the likeliest distribution, as all releases are equal{_unseen_text(estimate)}"
    return f"{text}, more than any share: {UNTOLD}" if largest > max(estimate.released_shares) else text


def _unseen_text(estimate: Estimate) -> str:
    """The largest q with `(1 - q)^N >= 5 %`: others so frequent could all have been missed."""
    unseen = -math.expm1(math.log(UNSEEN) / estimate.releases)
    text = f"; others may be up to {100 * unseen:.2g} % of releases ({100 * (1 - UNSEEN):g} %)"
    return f"{text}: {UNTOLD}" if unseen * len(estimate.counts) > 1 else text


def _mean_facts(estimate: Estimate, n: int) -> list[tuple[str, str]]:
    likeliest = ("  likeliest", f"{_people(estimate.likelihood.mean, n)}, of the distribution of maximum likelihood")
    mean = estimate.mean
    if mean is None and estimate.rank is None:
        return [("mean", f"not computed: it is solved in rationals, up to n = {LARGEST_SYSTEM - 1}"), likeliest]
    if mean is None:
        return [
            ("mean", "no unbiased estimate exists: different true means can give the same distribution of releases"),
            likeliest,
        ]
    level = f"{100 * mean.confidence:.6g} %"
    rough = "; normal approximation, rough for so few groups" if estimate.releases < FEW_GROUPS else ""
    noise = f"for these groups, noise alone{_bounded(mean)}{rough}"
    if estimate.releases == 1:
        noise = "for this group, exact by the law of the noise"
    return [
        ("mean", f"{_people(mean.value, n)}, unbiased"),
        ("  groups", _interval_text(mean.noise, n, noise, level)),
        (
            "  population",
            _interval_text(mean.population, n, f"for the population that they come from, by Student's t{rough}", level),
        ),
        likeliest,
    ]


def _people(mean: float, n: int) -> str:
    return f"{mean:z.4f} people a group ({100 * mean / n:z.2f} % of people)"


def _interval_text(interval: Interval | None, n: int, meaning: str, level: str) -> str:
    if interval is None:
        return "unknown: a variance needs at least two released counts"
    low, high = interval.low, interval.high
    shares = f"{100 * low / n:z.2f} to {100 * high / n:z.2f} %"
    return f"{low:z.4f} to {high:z.4f} ({shares}), {level}, standard error {interval.standard_error:.4f}: {meaning}"


def _bounded(mean: MeanEstimate) -> str:
    return " (an upper bound; their spread does not allow an estimate)" if mean.noise_is_bounded else ""


def _posterior_text(one: Posterior, answer: Answer) -> str:
    likely = one.credible_set(answer.level)
    return (
        f"of one group that released {one.released}, prior {answer.prior}: mode {one.mode}, mean "
        f"{nearest_float(one.mean):.4f}; smallest set of at least {100 * nearest_float(answer.level):.6g} %: "
        f"{_runs(likely)} ({100 * nearest_float(one.chance(likely)):.2f} %)"
    )


def _runs(counts: Sequence[int]) -> str:
    """`0, 3..5`."""
    starts = [j for j in counts if j - 1 not in counts]
    ends = [j for j in counts if j + 1 not in counts]
    return ", ".join(f"{a}..{b}" if a < b else f"{a}" for a, b in zip(starts, ends, strict=True))


def _print_shares(estimate: Estimate, one: Posterior | None) -> None:
    table = estimate.tabulate().columns
    released, likelihood, inversion, errors = list(table.values())[1:]
    columns = [
        Column("count", [str(count) for count in range(len(released))]),
        Column("released", [f"{value:.4f}" for value in released]),
        Column("likelihood", [f"{value:.4f}" for value in likelihood]),
    ]
    if estimate.inversion is not None:
        columns.append(Column("inversion", [f"{value:z.4f}" for value in inversion]))
        columns.append(Column(ERROR, ["unknown" if error is None else f"{error:.4f}" for error in errors]))
    if one is not None:
        columns.append(Column(f"posterior of {one.released}", [f"{nearest_float(p):.4f}" for p in one.probabilities]))
    print_table(columns)
