"""Remapped geometric outputs: the best layer without properties, under L1 and L2.

It is a closed form.

An output y of the geometric mechanism on the half line makes the true count j as likely as `a^|y-j|`, for all j >= 0
alike before. The best answer to y is the median of these weights under L1, and their mean, rounded, under L2:

    L1   y + k with the least k >= 0 such that 2 a^(k+1) <= 1 + a - a^(y+1)
    L2   y + k with the least k >= 0 such that a^(y+1) (y + 1 + a/(1-a)) / (1 + a - a^(y+1)) <= k + 1/2

From some y on k is 0. The layer is the geometric mechanism with each y below replaced by its answer, M(y). Prices prove
it best for which each of its rows costs nothing, `sum_j a^|y-j| (|M(y)-j|^p - s_j) = 0`. With v(y) the sum of
`a^|y-j| |M(y)-j|^p` over all j >= 0, they are

    s_j = ((1 + a^2) v(j) - a (v(j-1) + v(j+1))) / (1 - a^2),      s_0 = (v(0) - a v(1)) / (1 - a^2)

since that is the inverse of the matrix `a^|y-j|`. Whether no other private row costs less than nothing, the kernel of
laws tells.

WH asks for `P[i,i] >= t = 1/(n+1)` of the outputs below M(0) too, which are no answer. Where t is small it is cheapest
to give each of them in place of M(0) to the output 0, with the chance `t (1+a) a^-i`. What that costs for each unit of
`P[i,i]` is its multiplier; prices stay.
"""

from fractions import Fraction

from mechdesign.methods.layers.half_line import Geometric


def best_remap(line: Geometric, deepest: int) -> tuple[int, ...] | None:
    """Return the answers to the outputs 0, 1, .. up to the first from which on each is its own; None if too many.

    >>> best_remap(Geometric(Fraction(4, 5), 1), 100)
    (3, 3, 3, 4, 5, 6, 7, 7)
    """
    a, power = line.alpha, line.alpha
    answers: list[int] = []
    for y in range(deepest + 1):
        k = _shift(line, y, power)
        if not k and (line.power == 1 or y * (1 - a) >= 1):  # from there on the mean comes nearer to y
            while len(answers) > 1 and answers[-1] == len(answers) - 1:
                answers.pop()
            kept = [*answers, len(answers)] if answers else [0]
            return tuple(kept) if len(kept) <= deepest else None
        answers.append(y + k)
        power *= a
    return None


def _shift(line: Geometric, y: int, power: Fraction) -> int:
    """Return k, for `power = a^(y+1)`."""
    a = line.alpha
    mass = 1 + a - power
    if line.power == 2:
        mean = power * (y + 1 + a / (1 - a)) / mass
        return max(0, -((1 - 2 * mean) // 2))
    k, least = 0, 2 * a
    while least > mass:
        k, least = k + 1, least * a
    return k


def remap_prices(line: Geometric, remap: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Return the prices of the columns 0, 1, .. below the depth of a remap."""
    a, b = line.alpha, len(remap)
    values = [_value(line, y, remap[y] if y < b else y, b) for y in range(b + 1)]
    first = values[0] - a * values[1]
    rest = [
        (1 + a * a) * v - a * (before + after) for before, v, after in zip(values, values[1:], values[2:], strict=False)
    ]
    return tuple(x / (1 - a * a) for x in (first, *rest))


def floor_cost(line: Geometric, i: int, answer: int) -> Fraction:
    """Return what it costs to reply i < answer to the output 0 as often as makes `P[i,i]` larger by 1."""
    a = line.alpha
    replies = (sum((a**j * line.loss(k, j) for j in range(k)), a**k * line.sums[line.power]) for k in (i, answer))
    given, best = replies
    return (given - best) / a**i


def _value(line: Geometric, y: int, answer: int, depth: int) -> Fraction:
    """Return v(y), for an answer of at least y."""
    p, q = line.alpha.as_integer_ratio()
    inside = sum(p ** abs(y - j) * q ** (depth - abs(y - j)) * abs(answer - j) ** line.power for j in range(answer))
    return Fraction(inside, q**depth) + line.alpha ** (answer - y) * line.sums[line.power]
