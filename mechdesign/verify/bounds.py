"""A proved lower bound of the variance of every local mechanism for a workload.

A local mechanism is a finer form of one with rows r in {1, E}^K, E = 1/alpha, on the groups of items that the workload
tells apart (extreme rays of `r_u <= E r_v`), of weights theta >= 0 with `sum theta_r r = 1`. Unbiased estimates z_r of
the answers have `sum theta_r z_r r' = W`. Let p be a prior, G = W'W, `P = I - p 1'` and `Gc = P'G P`. The variance that
p gives is `sum theta_r (p'r) |z_r - W p|^2 + p'Gp - sum_u p_u G_uu`, and for N = t W P B the first term is at least

    sum theta_r (2 (z_r - W p)'N r - |N r|^2 / (p'r)) = 2 t tr(B Gc) - t^2 sum theta_r r'Mr / (p'r),   M = B Gc B.

Where `r'Mr <= (p'r)(y'r)` for every row, the last sum is at most `sum theta_r y'r = 1'y`. With the best t:

    variance >= tr(B Gc)^2 / (1'y) + p'Gp - sum_u p_u G_uu.

The worst case is at least the mean under any prior. What is left is the condition on all rows, shown in one of three
ways.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb
from operator import add, mul

from .certificates import Certificate
from .matrices import Matrix, is_semidefinite, product
from .workloads import Workload

PASSES = ((40, 1 << 10), (64, 1 << 14))
"""Bits for each row that is priced, and how many rows may then be looked at exactly; more go to the next pass.

A number in a lane is below a quarter of its topmost bit. Prices with room of 2^-50 of the coefficients leave no row
for a look in lanes of 64 bits; shorter lanes take less time, and serve where gaps leave more room.
"""

INNER = 14
"""Bits of a row that go through all their values at once, or half of its bits where those are more."""

MOST_PRICED = 32
"""Groups of which all rows are priced."""


def proved_bound(workload: Workload, alpha: Fraction, certificate: Certificate) -> Fraction:
    """Return the lower bound that a certificate proves.

    Raises:
        ValueError: for a certificate that proves nothing, saying why.
    """
    total = sum(certificate["prior"])
    if min(certificate["prior"]) < 0 or total <= 0:
        raise ValueError("the prior has a negative weight, or none")
    p, q = alpha.as_integer_ratio()
    if certificate.kind == "levels":
        return _by_levels(workload, (p, q), certificate) + constant(workload, certificate["prior"])
    ceiling = sum(certificate["prices"])
    if ceiling <= 0:
        raise ValueError("the prices do not have a positive sum")
    centred = _centred(workload, certificate["prior"])
    trace, excess = _conditions(workload, centred, certificate)
    if certificate.kind == "rows":
        if workload.size > MOST_PRICED:
            raise ValueError(
                f"rows are priced one by one for up to {MOST_PRICED} groups, and these are {workload.size}"
            )
        row = positive_row(excess, p, q)
        if row is not None:
            raise ValueError(f"the row {row} of the groups costs more than its prices")
    else:
        _require_relaxed(workload, (p, q), excess, certificate)
    unit = total * total * workload.denominator
    value = Fraction(trace * trace, certificate.scale * unit * unit * ceiling)
    return value + constant(workload, certificate["prior"])


def constant(workload: Workload, prior: Sequence[int]) -> Fraction:
    """Return `p'Gp - sum_u p_u G_uu`."""
    total, gram = sum(prior), workload.gram
    square = sum(map(mul, prior, (sum(map(mul, row, prior)) for row in gram)))
    diagonal = sum(weight * gram[u][u] for u, weight in enumerate(prior))
    return Fraction(square - total * diagonal, total * total * workload.denominator)


def _centred(workload: Workload, prior: Sequence[int]) -> Matrix:
    """Return Gc times the square of the prior's sum and the Gram matrix's denominator."""
    total = sum(prior)
    means = [sum(map(mul, row, prior)) for row in workload.gram]
    square = sum(map(mul, prior, means))
    return [
        [total * (total * value - means[u] - means[v]) + square for v, value in enumerate(row)]
        for u, row in enumerate(workload.gram)
    ]


def _conditions(workload: Workload, centred: Matrix, certificate: Certificate) -> tuple[int, Matrix]:
    """Return `tr(B Gc)` and H for which `r'Hr <= 0` says `r'Mr <= (p'r)(y'r)`, both as integers.

    The first is over scale, denominator and squared sum of the prior; H is over `_unit` and half of it.
    """
    size, dual, prior, prices = workload.size, certificate["dual"], certificate["prior"], certificate["prices"]
    whole = [[dual[max(u, v)][min(u, v)] for v in range(size)] for u in range(size)]
    weighed = product(whole, centred)
    trace = sum(weighed[u][u] for u in range(size))
    squares = product(weighed, whole)
    share = certificate.scale * sum(prior) * workload.denominator
    excess = [
        [2 * squares[u][v] - share * (prior[u] * prices[v] + prices[u] * prior[v]) for v in range(size)]
        for u in range(size)
    ]
    return trace, excess


def positive_row(excess: Matrix, p: int, q: int) -> str | None:
    """Return the bits of a row r in {1, q/p}^K for which `r'Hr > 0`, None where there is none.

    With `p r = p 1 + (q - p) b` for bits b, `p^2 r'Hr = c + sum l_u b_u + sum q_uv b_u b_v`. All rows that have as many
    ones as may cost too much are looked at, in lanes of long integers, with coefficients of which the sum is cut to a
    few bits less, each rounded; what that may take from a row is added to c. Rows that are then above 0 are looked at
    exactly.

    Raises:
        ValueError: where too many rows cost nearly their prices.
    """
    size, step = len(excess), q - p
    sums = [sum(row) for row in excess]
    free = p * p * sum(sums)
    lines = [2 * p * step * sums[u] + step * step * excess[u][u] for u in range(size)]
    pairs = [[2 * step * step * value for value in row] for row in excess]
    counts = _costly_counts(free, lines, pairs)
    largest = abs(free) + sum(map(abs, lines)) + sum(abs(pairs[u][v]) for u in range(size) for v in range(u))
    for lane, most in PASSES:
        cut = max(0, largest.bit_length() - (lane - 3))
        for found, row in enumerate(_doubtful(lane, *_shortened(free, lines, pairs, cut), counts)):
            if found == most:
                break
            ones = [u for u in range(size) if row >> u & 1]
            if free + sum(lines[u] + sum(map(pairs[u].__getitem__, ones[:i])) for i, u in enumerate(ones)) > 0:
                return "".join("1" if row >> u & 1 else "0" for u in range(size))
        else:
            return None
    raise ValueError(f"more than {most} rows of the groups cost too nearly their prices")


def _costly_counts(free: int, lines: list[int], pairs: Matrix) -> set[int]:
    """Return every n for which a row with n ones may have a sum above 0.

    Twice the sum is `2 c + sum_u b_u (2 l_u + sum_(v != u) q_uv b_v)`. At most n - 1 of the q_uv count for one u, the
    largest at best, and the n largest of what that gives for all u.
    """
    size = len(lines)
    ordered = [sorted(row[:u] + row[u + 1 :], reverse=True) for u, row in enumerate(pairs)]
    most = [2 * line for line in lines]
    found = {0} if free > 0 else set()
    for n in range(1, size + 1):
        if 2 * free + sum(sorted(most, reverse=True)[:n]) > 0:
            found.add(n)
        most = [value + row[n - 1] if n < size else value for value, row in zip(most, ordered, strict=True)]
    return found


def _shortened(free: int, lines: list[int], pairs: Matrix, cut: int) -> tuple[int, list[int], Matrix]:
    """Return coefficients with so many bits cut off, of a sum that is nowhere below that of those given."""
    half = (1 << cut) >> 1
    short = [[(value + half) >> cut for value in row] for row in (lines, *pairs)]
    lost = free + sum(max(0, value - (near << cut)) for value, near in zip(lines, short[0], strict=True))
    for u, (row, near) in enumerate(zip(pairs, short[1:], strict=True)):
        lost += sum(max(0, row[v] - (near[v] << cut)) for v in range(u))
    return -(-lost >> cut), short[0], short[1:]


def _doubtful(lane: int, free: int, lines: list[int], pairs: Matrix, counts: set[int]) -> Iterator[int]:
    """Yield the bit vectors, as integers, that have so many ones and for which the sum is above 0.

    There is a long integer for all low bits with m ones. The lane of the low bits x holds `2^(lane-1) - g(x)`: its
    topmost bit is 0 where g(x) > 0. Bit by bit of the high ones, what a bit adds is taken from all lanes at once. It is
    kept positive, modulo a power of 2 above all lanes, since positive numbers are added fastest.
    """
    size = len(lines)
    inner = min(size, max(INNER, size // 2))
    ones = [[((1 << lane * comb(u, m)) - 1) // ((1 << lane) - 1) for m in range(u + 1)] for u in range(inner + 1)]

    def joined(without: list[int], beside: list[int]) -> list[int]:
        """Return the lanes of one bit more, by their number of ones, of those without it and those with it."""
        u, pairs_of = len(without) - 1, enumerate(zip([*without, 0], [0, *beside], strict=True))
        return [low + (high << lane * comb(u, m)) for m, (low, high) in pairs_of]

    def spread(start: int, steps: list[int]) -> list[int]:
        """Return the lanes of `start + sum of the steps of the low bits that are set`."""
        lanes = [start]
        for u, step in enumerate(steps):
            lanes = joined(lanes, [value + step * one for value, one in zip(lanes, ones[u], strict=True)])
        return lanes

    lanes, places = [free], [[0]]
    for u in range(inner):
        lanes = joined(lanes, list(map(add, lanes, spread(lines[u], pairs[u][:u]))))
        places = [low + [x | 1 << u for x in high] for low, high in zip([*places, []], [[], *places], strict=True)]
    steps = [spread(lines[t], pairs[t][:inner]) for t in range(inner, size)]
    for m, one in enumerate(ones[inner]):
        wanted = {n - m for n in counts if 0 <= n - m <= size - inner}
        if not wanted:
            continue
        signs, beyond = one << lane - 1, (1 << lane * comb(inner, m)) - 1
        taken = [-step[m] & beyond for step in steps]
        together = [[-pairs[t][s] * one & beyond for s in range(inner, t)] for t in range(inner, size)]
        for high, low in _below(signs - lanes[m], 0, (0, wanted), taken, together, signs):
            missing = low & signs ^ signs
            while missing:
                place = (missing & -missing).bit_length() // lane
                missing &= missing - 1
                yield high << inner | places[m][place - 1]


def _below(
    lanes: int, high: int, count: tuple[int, set[int]], taken: list[int], together: Matrix, signs: int
) -> Iterator[tuple[int, int]]:
    """Yield high bits and lanes of which some have 0 as topmost bit, for all values of the bits that have an entry.

    `together[t][s]` is what bits t and s take together, in all lanes; `count` has the number of high bits that are set,
    and the numbers that are wanted.
    """
    own, wanted = count
    if own in wanted and lanes & signs != signs:
        yield high, lanes
    most = max(wanted)
    for t in range(max(0, min(wanted) - own - 1), len(taken)) if own < most else ():
        raised = list(map(add, taken[:t], together[t])) if own + 1 < most else []
        yield from _below(lanes + taken[t], high | 1 << t, (own + 1, wanted), raised, together, signs)


def _require_relaxed(workload: Workload, ratio: tuple[int, int], excess: Matrix, certificate: Certificate) -> None:
    """Show `r'Hr <= 0` for all rows by a semidefinite matrix.

    `r = L (1, s)` with s in {-1, 1}^K and `2 p L = [(q + p) 1, (q - p) I]`. Where
    `-L'HL - Diag(d) - sum_j z_j (w_j w_j' - e_0 e_0')` is semidefinite, z >= 0, `sum d >= 0` and the sum of each w_j is
    odd, `-r'Hr >= sum d + sum_j z_j ((w_j.(1, s))^2 - 1) >= 0`, since `w_j.(1, s)` is odd.

    Raises:
        ValueError: where that is not shown.
    """
    p, q = ratio
    if sum(certificate["diagonal"]) < 0:
        raise ValueError("the diagonal has a negative sum")
    sums = [sum(row) for row in excess]
    head = [-(q + p) * (q - p) * value for value in sums]
    rest = [[-((q + p) ** 2) * sum(sums), *head]]
    rest += [[head[u], *(-((q - p) ** 2) * value for value in row)] for u, row in enumerate(excess)]
    unit = 8 * p * p * certificate.scale * sum(certificate["prior"]) ** 2 * workload.denominator
    for u, value in enumerate(certificate["diagonal"]):
        rest[u][u] -= unit * value
    for multiplier, cut in certificate["cuts"]:
        if multiplier < 0 or sum(cut) % 2 == 0:
            raise ValueError("a cut has a negative multiplier, or an even sum")
        rest[0][0] += unit * multiplier
        places = [u for u, value in enumerate(cut) if value]
        for u in places:
            for v in places:
                rest[u][v] -= unit * multiplier * cut[u] * cut[v]
    if not is_semidefinite(rest):
        raise ValueError("the matrix that is left is not shown to be semidefinite")


def _by_levels(workload: Workload, ratio: tuple[int, int], certificate: Certificate) -> Fraction:
    """Return `tr(B Gc)^2 / (1'y)` for a B that is a number on each of the levels, where G is one too.

    Let b be the bits of a row with n entries E, `1 + (E-1) b`, and mu the largest eigenvalue of M on even levels, nu on
    odd ones. Across the constants b has the squared length `n (k-n) / k`. On odd levels it has that of `(b - b') / 2`,
    where b' is b after all flips; that is 0 or a half in size, and not 0 for at most `2 min(n, k-n)` items. So

        r'Mr <= (E-1)^2 (mu n (k-n) / k + max(0, nu - mu) min(n, k-n) / 2).

    With `y = (Y/k) 1` that must be at most `Y ((k + (E-1) n) / k)^2`. Without flips all levels count as even.

    Raises:
        ValueError: for a workload that has no levels, another prior than the uniform one, or a price that is too low.
    """
    p, q = ratio
    k, scale = workload.k, certificate.scale
    levels = _levels(workload)
    if len(set(certificate["prior"])) > 1:
        raise ValueError("the prior is not uniform")
    if len(levels) != len(certificate["levels"]) or len(certificate["prices"]) != 1:
        raise ValueError(f"there are {len(levels)} levels and one price")
    (price,) = certificate["prices"]
    trace = sum(map(mul, certificate["levels"], map(mul, *zip(*levels, strict=True))))
    costs = [value * value * eigenvalue for value, (eigenvalue, _) in zip(certificate["levels"], levels, strict=True)]
    even, odd = max(costs[1::2], default=0), max(costs[::2])
    if not workload.flips:
        even = max(costs)
    for n in range(k + 1):
        cost = 2 * even * n * (k - n) + max(0, odd - even) * k * min(n, k - n)
        if cost * k * (q - p) ** 2 > 2 * price * scale * (k * p + (q - p) * n) ** 2:
            raise ValueError(f"rows with {n} entries 1/alpha cost more than the price")
    if price <= 0:
        raise ValueError("the price is not positive")
    return Fraction(trace * trace, scale * price)


def _levels(workload: Workload) -> list[tuple[int, int]]:
    """Return eigenvalue and dimension of G on each level across the constants.

    Raises:
        ValueError: for a workload that has none.
    """
    k, gram = workload.k, workload.gram
    if workload.flips:
        d = workload.flips
        signs = [[1 - 2 * ((u & (1 << j) - 1).bit_count() % 2) for u in range(k)] for j in range(1, d + 1)]
        return [(sum(map(mul, gram[0], row)), comb(d, j)) for j, row in enumerate(signs, start=1)]
    if workload.is_histogram:
        return [(1, k - 1)]
    raise ValueError("the workload has no levels")
