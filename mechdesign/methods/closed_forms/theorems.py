"""The closed forms that a theorem puts forward for a problem, each with its dual proof.

A theorem proposes, the kernel disposes: `design` takes a mechanism only if it satisfies the problem and its proof,
priced exactly, meets its loss. That also settles problems with more properties than the theorem speaks of, which the
mechanism happens to have.

Write `z` for the diagonal entry of the mechanism. Its loss is `1 - z` under L0, whatever the prior, and

- EM (counts): column m = n//2 gives `1 = sum_i P[i,m] >= sum_i alpha^|i-m| P[i,i]`, and z is 1 over the sum of those
  powers, so that `sum_i z alpha^|i-m| P[i,i] <= z`. With F the diagonal is constant, hence at most z (Cormode et al.
  2018, for F); in the worst case `z alpha^|i-m|` is a prior under which no mechanism is right more often than z.
- Honest columns (counts, CH or CM): `mechdesign.methods.closed_forms.honest_columns` has theorem and proof.
- GRR (local): the same with every column: `1 >= (1 + (k-1) alpha) mean_i P[i,i]` (Kairouz, Oh, Viswanath 2016).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.certificate.proof import dual_certificate
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.closed_forms.explicit_fair import diagonal, explicit_fair
from mechdesign.methods.closed_forms.generalized_randomized_response import generalized_randomized_response
from mechdesign.methods.closed_forms.honest_columns import honest_columns, honest_columns_proof, is_in_range
from mechdesign.methods.closed_forms.remapped_geometric import remapped_geometric
from mechdesign.methods.closed_forms.uniform import uniform
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.properties import COLUMN_PROPERTIES, smoothness
from mechdesign.rational import over_common_denominator
from mechdesign.verify.certificates import Certificate


@dataclass(frozen=True)
class Theorem:
    """A closed form that may be optimal for a problem; `make` gives it with its proof."""

    name: str
    make: Callable[[], tuple[Mechanism, Certificate]]


def theorems(problem: DesignProblem) -> Iterator[Theorem]:
    """List the closed forms worth trying, most specific first."""
    graph, asked = problem.graph, problem.properties
    even_diagonal = problem.is_worst_case or "F" in asked
    if smoothness(asked) == 1:
        yield Theorem("uniform mechanism", lambda: _uniform(problem))
        return
    if problem.loss.is_zero_one and problem.model.name == "count" and even_diagonal:
        yield Theorem("explicit fair mechanism", lambda: _explicit_fair(problem))
    if _has_honest_columns(problem):
        yield Theorem("honest columns", lambda: _honest_columns(problem))
    if problem.loss.is_zero_one and graph.is_complete and (even_diagonal or problem.prior.name == "uniform"):
        yield Theorem("generalised randomised response", lambda: _randomized(problem))
    steep = problem.step_alpha <= Fraction(1, 2)  # GM has the properties of columns only then
    compares_outputs = asked & COLUMN_PROPERTIES or smoothness(asked) is not None
    if graph.is_path and not problem.is_worst_case and "F" not in asked and (steep or not compares_outputs):
        yield Theorem("geometric mechanism, remapped", lambda: remapped_geometric(problem))


def _has_honest_columns(problem: DesignProblem) -> bool:
    """Return whether the theorem of `mechdesign.methods.closed_forms.honest_columns` speaks of a problem."""
    asked = problem.properties
    return (
        problem.model.name == "count"
        and problem.loss.is_zero_one
        and not problem.is_worst_case
        and problem.has_even_prior
        and bool(asked & COLUMN_PROPERTIES)
        and "F" not in asked
        and smoothness(asked) is None
        and problem.floor * problem.size <= 1
        and is_in_range(problem.n, problem.alpha)
    )


def _honest_columns(problem: DesignProblem) -> tuple[Mechanism, Certificate]:
    kind = min(problem.properties & COLUMN_PROPERTIES)
    return honest_columns(problem.n, problem.alpha), honest_columns_proof(problem.n, problem.alpha, kind)


def _explicit_fair(problem: DesignProblem) -> tuple[Mechanism, Certificate]:
    n, alpha = problem.n, problem.alpha
    z, middles = diagonal(n, alpha), (n // 2, n - n // 2)  # for odd n both middle columns, half each: S wants that
    shares = [z * sum((alpha ** abs(i - middle) for middle in middles), Fraction(0)) / 2 for i in range(n + 1)]
    prices = [-z * middles.count(j) / 2 for j in range(n + 1)]
    return explicit_fair(n, alpha), _diagonal_proof(problem, shares, prices)


def _randomized(problem: DesignProblem) -> tuple[Mechanism, Certificate]:
    k, alpha = problem.size, problem.step_alpha
    price = -Fraction(1, k) / (1 + (k - 1) * alpha)
    proof = _diagonal_proof(problem, [Fraction(1, k)] * k, [price] * k)
    return generalized_randomized_response(k, alpha), proof


def _diagonal_proof(problem: DesignProblem, shares: list[Fraction], prices: list[Fraction]) -> Certificate:
    """`sum_i shares[i] P[i,i] <= -sum_j prices[j]`, as a proof: the diagonal is paid for by `shares`.

    In the worst case the shares are the prior. Otherwise the prior's weights w may differ from them where F is asked:
    the multipliers of F pay for the difference. Without F they must be equal.
    """
    worst = problem.is_worst_case
    prior = tuple(shares) if worst else problem.prior.weights(problem.size)
    paid = prior
    if "S" in problem.properties:  # the kernel averages what the prices are taken off
        paid = tuple((a + b) / 2 for a, b in zip(prior, reversed(prior), strict=True))
    moved = [] if worst or "F" not in problem.properties else [s - w for s, w in zip(shares, paid, strict=True)]
    integers, denominator = over_common_denominator([*(w + y for w, y in zip(paid, prices, strict=True)), *moved])
    size = problem.size
    fair = tuple(("F", i, i, 0, 0, m) for i, m in enumerate(integers[size:]) if i and m)
    return dual_certificate(fair, denominator, tuple(integers[:size]), prior if worst else None)


def _uniform(problem: DesignProblem) -> tuple[Mechanism, Certificate]:
    """OS:1 leaves only the uniform mechanism: multipliers along each column carry its costs to their mean."""
    size = problem.size
    loss, loss_denominator = problem.loss.integers(problem.size)
    prior = problem.prior.weights(size)
    if problem.is_worst_case:
        sums = [sum(column) for column in zip(*loss, strict=True)]
        worst = sums.index(max(sums))
        prior = tuple(Fraction(int(j == worst)) for j in range(size))
    chances, prior_denominator = over_common_denominator(prior)
    rows: list[tuple[str, int, int, int, int, int]] = []
    for j, chance in enumerate(chances):
        carried = 0
        mean = sum(loss[i][j] for i in range(size))
        for i in range(size - 1):
            carried += chance * (size * loss[i][j] - mean)
            if carried:
                up, down = (i, i + 1) if carried > 0 else (i + 1, i)
                rows.append(("OS", up, j, down, j, abs(carried)))
    proof = dual_certificate(
        tuple(rows),
        size * loss_denominator * prior_denominator,
        None,
        prior if problem.is_worst_case else None,
    )
    return uniform(size - 1, problem.alpha), proof
