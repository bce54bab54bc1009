"""Laws drawn out to one size, laws made by hand, and documents that state whatever the kernel finds of a law."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import chain
from math import lcm

from mechdesign.laws.finding import design_law
from mechdesign.verify import kernel, layer_duals, layers
from mechdesign.verify.enclosures import loss_bounds
from mechdesign.verify.fair import fair_sum
from mechdesign.verify.layer_duals import LayerDual
from mechdesign.verify.layers import Layer

CASES = {
    "wm": ("4/5", "WH,RM,CM", "L0"),
    "columns": ("7/10", "CM", "L0"),
    "plain": ("1/2", "", "L2"),
    "weak": ("3/5", "WH", "L1"),
    "rows": ("7/10", "WH,RH", "L1"),
    "honest": ("7/10", "WH,CH,FE", "L1"),
    "squares": ("3/5", "WH,RM,CM", "L2"),
}
"""Laws by what is asked of them; weak and rows have slopes."""


@cache
def law_of(name):
    """A law as (layer, dual, properties, power)."""
    alpha, properties, loss = CASES[name]
    law = design_law(alpha=alpha, properties=properties, loss=loss)
    return law.layer, law.dual, tuple(filter(None, properties.split(","))), law.problem.power


def geometric(alpha, power, depth=1):
    """The geometric mechanism, which is the best under L0, and under L1 up to alpha = 1/2, as (layer, dual)."""
    a = Fraction(alpha)
    table = [[a ** abs(i - j) * (1 if i == 0 else 1 - a) / (1 + a) for j in range(depth)] for i in range(depth)]
    weights, denominator = whole(table)
    bulk, fall = (2 * a / (1 + a), 0) if power == 0 else (2 * a / (1 - a * a), a / (1 - a))
    if power == 0:
        first = a / (1 + a)
    else:  # (G) with equality
        square = a * a / (1 - a * a)
        first = bulk + fall * square - a * ((1 - bulk) / (1 - a) + a / (1 - a) ** 2)
    prices, unit = whole([[first, *(bulk - fall * a**j for j in range(1, depth))]])
    return Layer(a, depth, denominator, weights), LayerDual(a, depth, unit, prices[0], ())


def whole(rows):
    """Rationals over one denominator."""
    common = lcm(*(x.denominator for row in rows for x in row))
    return tuple(tuple(int(x * common) for x in row) for row in rows), common


def matrix_of(layer, n):
    """The mechanism of a layer at n, as (weights, denominator)."""
    a, b = layer.alpha, layer.depth
    slopes = layer.slopes or [[0] * b] * b
    rows = [[a ** abs(i - j) * (1 - a) / (1 + a) for j in range(n + 1)] for i in range(n + 1)]
    for i in range(b):
        table = [(x + Fraction(y, n + 1)) / layer.denominator for x, y in zip(layer.rows[i], slopes[i], strict=True)]
        rows[i] = [table[j] if j < b else table[-1] * a ** (j - b + 1) for j in range(n + 1)]
        rows[n - i] = rows[i][::-1]
    return whole(rows)


def kernel_defects(layer, properties, n):
    """What the kernel of designs finds wrong with it at n."""
    path = [(j, j + 1, 1) for j in range(n)]
    return list(kernel.defects(*matrix_of(layer, n), layer.alpha.as_integer_ratio(), path, properties))


def kernel_score(layer, power, n):
    """The sum of the losses of all columns by the kernel of designs."""
    return Fraction(*kernel.objective(*matrix_of(layer, n), *kernel.loss_matrix(f"L{power}", n + 1)))


def kernel_bound(dual, power, properties, n, stated):
    """What the kernel of designs makes of a dual at n: its prices, lowered to what is stated."""
    a, b, unit = dual.alpha, dual.depth, dual.denominator
    bulk = (2 * a / (1 + a), 2 * a / (1 - a**2), 2 * a / (1 - a) ** 2)[power]
    start = slope = Fraction(0)
    if power == 1:
        start = -a / (1 - a)
    if power == 2:
        slope = -2 * a / (1 - a)
        start = -(slope / 2 + slope * a**2 / (1 - a**2) + 2 * a / (1 - a) + 2 * a**2 / (1 - a) ** 2)
    off = [Fraction(dual.prices[j], unit) - bulk if j < b else (start + slope * j) * a**j for j in range(n + 1)]
    prices = [bulk + x + y for x, y in zip(off, off[::-1], strict=True)]
    floors = Fraction(2 * sum(row[5] for row in dual.multipliers if row[0] == "WH"), unit * (n + 1))
    lowering = (sum(prices) + floors - stated) / 2
    prices[dual.lowered] -= lowering
    prices[n - dual.lowered] -= lowering
    common = lcm(unit, *(price.denominator for price in prices))
    mirrored = chain.from_iterable(
        ((kind, i, j, k, h, m), (kind, n - i, n - j, n - k, n - h, m)) for kind, i, j, k, h, m in dual.multipliers
    )
    rows = [(*row[:5], row[5] * (common // unit)) for row in mirrored]
    path = [(j, j + 1, 1) for j in range(n)]
    cost = kernel.loss_matrix(f"L{power}", n + 1)
    scaled = [int(price * common) for price in prices]
    found = kernel.dual_bound(*cost, a.as_integer_ratio(), path, properties, rows, common, scaled)
    return Fraction(*found), lowering


def first_size(layer, dual, properties, power):
    """The least n of a law, that of its proof where the layer is none at any n."""
    n = max(2 * layer.depth - 1, layer_duals.proved_from(dual, power))
    if next(layers.layer_defects(layer, properties, layers.LARGEST_N), ""):
        return n
    while next(layers.layer_defects(layer, properties, n), ""):
        n += 1
    return n


def law_document(layer, dual, properties, power, n=None):
    """Write what the kernel finds of a law, right or wrong; of every n from the least on where n is None."""
    size = first_size(layer, dual, properties, power) if n is None else n
    scale = size + 1 if power else size
    score = layers.score_sum(layer, power, size)
    bound = layer_duals.bound_sum(dual, power, properties, size)
    enclosed = power > 0 and size > layers.LONGEST_EXACT
    excess, of_bound = layers.layer_excess(layer, power), layer_duals.dual_excess(dual, power, properties)
    exact = power == 0 and score[0] == bound
    document = head(layer.alpha, properties, power, size, n is None) | {
        "mechanism": {
            "kind": "layer",
            "depth": layer.depth,
            "denominator": str(layer.denominator),
            "rows": [[str(x) for x in row] for row in layer.rows],
        },
        "dual": {
            "kind": "layer",
            "depth": dual.depth,
            "denominator": str(dual.denominator),
            "prices": [str(x) for x in dual.prices],
            "rows": [[*row[:5], str(row[5])] for row in dual.multipliers],
        },
        "excess": {"layer": str(excess[0]), "bound": str(of_bound[0])},
        "score": number(score[0] / scale, score[1] / scale, enclosed),
        "lower_bound": number(bound / scale, bound / scale * (1 + Fraction(1, 10**40)), enclosed),
        "status": "exact"
        if exact
        else "certified"
        if score[1] - bound <= Fraction(1, 10**6) * score[1]
        else "feasible",
        "holds": sorted({*layers.layer_holds(layer, size), *({"FE"} & set(properties))}),
    }
    if power:
        document["dual"]["lowered"] = dual.lowered
    if layer.slopes is not None:
        document["mechanism"]["slopes"] = [[str(x) for x in row] for row in layer.slopes]
        document["excess"] |= {"layer_slope": str(excess[1]), "bound_slope": str(of_bound[1])}
    return document


def fair_document(alpha, properties, n=None):
    """The document of the fair law."""
    size = 2 if n is None else n
    ends = number(*(x / size for x in fair_sum(Fraction(alpha), size)), size > layers.LONGEST_EXACT)
    return head(Fraction(alpha), properties, 0, size, n is None) | {
        "mechanism": {"kind": "fair law"},
        "dual": {"kind": "fair law"},
        "score": ends,
        "lower_bound": dict(ends),
        "status": "exact",
        "holds": sorted({"WH", "RH", "RM", "CH", "CM", "F", "S", *({"FE"} & set(properties))}),
    }


def head(alpha, properties, power, n, onward):
    """What all laws state in one form."""
    loss = loss_bounds(alpha)[1]
    epsilon = float(loss)
    return {
        "format": "mechdesign-design/3",
        "problem": {
            "model": "count",
            "n": {"from": n} if onward else n,
            "alpha": str(alpha),
            "epsilon": epsilon if Fraction(epsilon) >= loss else math.nextafter(epsilon, math.inf),
            "properties": list(properties),
            "loss": f"L{power}",
            "aggregate": "expected",
            "prior": "uniform",
        },
        "seconds": {"solve": 0, "certify": 0, "verify": 0},
        "version": "1",
        "method": "layer",
        "how": "in a test",
    }


def number(low, high, enclosed):
    """A number as documents state it."""
    if not enclosed:
        return {"exact": str(low), "value": float(low)}
    ends = (Fraction(math.floor(low * 2**200), 2**200), Fraction(math.ceil(high * 2**200), 2**200))
    return {"exact": None, "value": float(low), "low": str(ends[0]), "high": str(ends[1])}


def shifted(layer, i, j, k, by=1):
    """A layer with a weight of column j moved from output i to output k, so that all sums stay."""
    rows = [list(row) for row in layer.rows]
    rows[i][j] -= by
    rows[k][j] += by
    return replace(layer, rows=tuple(map(tuple, rows)))


def raised(dual, j, by=1):
    """A dual with the price of input j raised."""
    return replace(dual, prices=(*dual.prices[:j], dual.prices[j] + by, *dual.prices[j + 1 :]))
