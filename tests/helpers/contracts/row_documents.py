"""Small workload designs by a statement of their own: explicit queries, fractions, certificates that are loose."""

import itertools
import math
from fractions import Fraction

import numpy as np

SCALE = 1 << 200
ROOM = Fraction(1, 1 << 40)
"""Prices are higher than they need to be by this part, since checkers may round."""

SECONDS = {"solve": 1, "certify": 0.5, "verify": 0}


def queries_of(name, k):
    """The rows of W, by the words of their name."""
    word, _, parameter = name.partition(":")
    unit = np.eye(k, dtype=int)
    if name == "histogram":
        return unit
    if name == "prefixes":
        return np.array([unit[: u + 1].sum(axis=0) for u in range(k)])
    if word == "ranges":
        lengths = [int(parameter)] if parameter else range(1, k + 1)
        return np.array([unit[u : u + m].sum(axis=0) for m in lengths for u in range(k - m + 1)])
    if word == "grid":
        a, b = map(int, parameter.split(","))
        sides = [queries_of("ranges", side) for side in (a, b)]
        return np.array([np.outer(x, y).ravel() for x in sides[0] for y in sides[1]])
    way, domains = parameter.split(":")
    domains = list(map(int, domains.split(",")))
    tuples = list(itertools.product(*map(range, domains)))
    cells = []
    for chosen in itertools.combinations(range(len(domains)), int(way)):
        for cell in itertools.product(*(range(domains[c]) for c in chosen)):
            cells.append([int(all(t[c] == v for c, v in zip(chosen, cell, strict=True))) for t in tuples])
    return np.array(cells)


def all_subsets(k, *sizes):
    """The rows of 1/alpha on each subset of these sizes, all of one weight."""
    return [
        "".join("01"[u in chosen] for u in range(k)) for n in sizes for chosen in itertools.combinations(range(k), n)
    ]


def document(name, k, alpha, rows, aggregate="expected", kind="rows", prior=None, weights=None, **lies):
    """A true document of a mechanism of these rows, of one weight where none are given.

    It follows from lies where there are some: `whole`, another denominator than the sums have, and `short`, the part
    by which prices are lower than they can be.
    """
    alpha = Fraction(alpha)
    columns = queries_of(name, k).T.tolist()
    firsts = [u for u in range(k) if columns[u] not in columns[:u]]
    sizes = [columns.count(columns[u]) for u in firsts]
    queries = np.array([columns[u] for u in firsts]).T
    gram = queries.T @ queries
    weights = weights or [1] * len(rows)
    entries = np.array([[1 / alpha if row[u] == "1" else Fraction(1) for u in firsts] for row in rows])
    sums = set((np.array(weights, dtype=object) @ entries).tolist())
    assert len(sums) == 1 or "whole" in lies
    whole = lies.get("whole") or sums.pop() * alpha.numerator
    weights = [weight * alpha.numerator for weight in weights]
    prior = prior or sizes
    p = [Fraction(weight, sum(prior)) for weight in prior]
    theta = [Fraction(weight) / whole for weight in weights]
    means = entries @ p
    information = sum(t / m * np.outer(r, r) for t, m, r in zip(theta, means, entries, strict=True))
    inverse = exact_pseudo_inverse(information)
    squares = inverse @ gram @ inverse
    inputs = [
        sum(t * r[u] * (r @ squares @ r) / m**2 for t, m, r in zip(theta, means, entries, strict=True)) - gram[u, u]
        for u in range(len(firsts))
    ]
    mean = sum(share * value for share, value in zip(p, inputs, strict=True))
    upper = max(inputs) if aggregate == "worst" else mean
    certificate, lower = certificates(kind, gram, alpha, p, prior, inverse, lies.get("short", 0))
    exact = None if aggregate == "worst" else str(upper)
    used = upper if exact else above(upper)
    return {
        "format": "mechdesign-workload/1",
        "problem": {
            "model": "ldp",
            "k": k,
            "alpha": str(alpha),
            "epsilon": float(above(Fraction(-math.log(alpha)) * (1 + Fraction(1, 10**12)))),
            "workload": name,
            "aggregate": aggregate,
        },
        "variance": {
            "upper": {"exact": exact, "value": float(above(upper))},
            "lower": {"exact": str(lower), "value": float(below(lower))},
        },
        "inputs": {
            "least": float(min(inputs)),
            "mean": float(sum(size * value for size, value in zip(sizes, inputs, strict=True)) / k),
            "largest": float(max(inputs)),
        },
        "floor": float(below(lower)) - 1e-9,
        "gap": float(above(used / lower - 1)) if lower > 0 else None,
        "rows": rows,
        "weights": list(map(str, weights)),
        "denominator": str(whole),
        "seconds": SECONDS,
        "version": "by hand",
        "method": "by hand",
        "how": "rows of given sizes",
        "certificate": certificate,
    }


def above(value):
    """The decimal of a double at or above a rational."""
    found = float(value)
    return Fraction(repr(found if Fraction(repr(found)) >= value else math.nextafter(found, math.inf)))


def below(value):
    """A double at or below a rational, likewise."""
    return -above(-value)


def exact_pseudo_inverse(matrix):
    """A symmetric generalised inverse by elimination in fractions."""
    size = len(matrix)
    rows = np.concatenate([matrix, np.array([[Fraction(u == v) for v in range(size)] for u in range(size)])], axis=1)
    kept = []
    for j in range(size):
        if rows[j, j]:
            kept.append(j)
            rows[j] = rows[j] / rows[j, j]
            for u in range(size):
                if u != j:
                    rows[u] = rows[u] - rows[u, j] * rows[j]
    found = np.full((size, size), Fraction(0), dtype=object)
    found[np.ix_(kept, kept)] = rows[np.ix_(kept, [size + j for j in kept])]
    return found


def certificates(kind, gram, alpha, p, prior, inverse, short=0):
    """A certificate of a kind, and the bound that it proves: prices that are all the same, as low as they can be."""
    k = len(p)
    entry = 1 / alpha
    if kind == "levels":
        return level_certificate(gram, p, entry, prior, short)
    dual = np.array([[round(value * SCALE) for value in row] for row in (inverse + inverse.T) / 2], dtype=object)
    centring = np.array([[Fraction(u == v) - p[u] for v in range(k)] for u in range(k)])
    centred = centring.T @ gram @ centring
    squares = dual @ centred @ dual / Fraction(SCALE) ** 2
    found = {
        "kind": kind,
        "scale": str(SCALE),
        "prior": list(map(str, prior)),
        "dual": [[str(dual[u, v]) for v in range(u + 1)] for u in range(k)],
    }
    if kind == "rows":
        all_rows = [np.array(row) for row in itertools.product((Fraction(1), entry), repeat=k)]
        price = math.ceil(max((r @ squares @ r) / (r @ p * sum(r)) for r in all_rows) * SCALE)
    else:
        price, found["diagonal"], found["cuts"] = relaxed(squares, p, entry)
    price = price - math.ceil(price * short) if short else price + math.ceil(price * ROOM)
    found["prices"] = [str(price)] * k
    trace = sum((dual @ centred)[u, u] for u in range(k)) / SCALE
    constant = p @ gram @ p - sum(share * gram[u, u] for u, share in enumerate(p))
    return found, trace**2 / (Fraction(price, SCALE) * k) + constant


def relaxed(squares, p, entry):
    """A price and a diagonal for which a matrix with one idle cut is positive definite by numpy's eigenvalues."""
    k = len(p)
    half, step = float(entry + 1) / 2, float(entry - 1) / 2
    turn = np.concatenate([np.full((k, 1), half), step * np.eye(k)], axis=1)
    squares, p = squares.astype(float), np.array(p, dtype=float)
    own = 1.1 * step**2 * np.linalg.eigvalsh(squares).max() + 2**-20
    cut = np.array([1, 1, -1] + [0] * (k - 2))
    multiplier, first = 2**-24, np.eye(k + 1)[0]
    lift = multiplier * (np.outer(cut, cut) - np.outer(first, first))
    diagonal = np.array([k * own] + [-own] * k)
    price = 2.0**-20
    while True:
        rest = turn.T @ (price * (p[:, None] + p) / 2 - squares) @ turn - np.diag(diagonal) - lift
        if np.linalg.eigvalsh(rest).min() > 2**-30:
            whole = [math.ceil(Fraction(value) * SCALE) for value in diagonal[1:]]
            return (
                math.ceil(Fraction(price) * SCALE),
                [str(-sum(whole)), *map(str, whole)],
                [[str(round(Fraction(multiplier) * SCALE)), cut.tolist()]],
            )
        price *= 1.1


def level_certificate(gram, p, entry, prior, short):
    """A certificate by levels: B is near the inverse root of G on each of them."""
    k = len(p)
    if np.array_equal(gram, np.eye(k)):
        levels = [(1, k - 1)]
    else:
        d = k.bit_length() - 1
        signs = [[(-1) ** ((u & (1 << j) - 1).bit_count()) for u in range(k)] for j in range(1, d + 1)]
        levels = [(int(gram[0] @ row), math.comb(d, j)) for j, row in enumerate(signs, start=1)]
    own = [round(Fraction(1 / math.sqrt(value)) * SCALE) if value else 0 for value, _ in levels]
    largest = max(Fraction(b, SCALE) ** 2 * value for b, (value, _) in zip(own, levels, strict=True))
    price = math.ceil(
        max(largest * k * (entry - 1) ** 2 * n * (k - n) / (k + (entry - 1) * n) ** 2 for n in range(k + 1)) * SCALE
    )
    trace = sum(Fraction(b, SCALE) * value * count for b, (value, count) in zip(own, levels, strict=True))
    price = price - math.ceil(price * short)
    constant = p @ gram @ p - sum(share * gram[u, u] for u, share in enumerate(p))
    found = {
        "kind": "levels",
        "scale": str(SCALE),
        "prior": list(map(str, prior)),
        "levels": list(map(str, own)),
        "prices": [str(price)],
    }
    return found, trace**2 / Fraction(price, SCALE) + constant


def is_true(data):
    """Whether what a small document of a named workload says is true, by fractions and all rows one by one."""
    k, name, alpha = (data["problem"][key] for key in ("k", "workload", "alpha"))
    alpha = Fraction(alpha)
    gram = (lambda queries: queries.T @ queries)(queries_of(name, k))
    whole = Fraction(data["denominator"])
    theta = [Fraction(weight) / whole for weight in data["weights"]]
    entries = np.array([[1 / alpha if bit == "1" else Fraction(1) for bit in row] for row in data["rows"]])
    if any(sum(t * r[u] for t, r in zip(theta, entries, strict=True)) != 1 for u in range(k)):
        return False
    proof = data["certificate"]
    scale, prior = Fraction(proof["scale"]), [Fraction(weight) for weight in proof["prior"]]
    p = [weight / sum(prior) for weight in prior]
    worst = data["problem"]["aggregate"] == "worst"
    if min(p) < 0 or not (worst or set(p) == {Fraction(1, k)}):
        return False
    means = entries @ p
    inverse = exact_pseudo_inverse(sum(t / m * np.outer(r, r) for t, m, r in zip(theta, means, entries, strict=True)))
    squares = inverse @ gram @ inverse
    inputs = [
        sum(t * r[u] * (r @ squares @ r) / m**2 for t, m, r in zip(theta, means, entries, strict=True)) - gram[u, u]
        for u in range(k)
    ]
    upper = max(inputs) if worst else sum(share * value for share, value in zip(p, inputs, strict=True))
    lower = highest_bound(proof, scale, gram, p, 1 / alpha)
    stated = data["variance"]
    said = {key: Fraction(str(data["inputs"][key])) for key in ("least", "mean", "largest")}
    true = {"least": min(inputs), "mean": sum(inputs) / k, "largest": max(inputs)}
    top = Fraction(stated["upper"]["exact"] or Fraction(str(stated["upper"]["value"])))
    bound = Fraction(stated["lower"]["exact"])
    log = Fraction(-math.log(alpha))
    return (
        lower == bound
        and (stated["upper"]["exact"] is None or top == upper)
        and 0 <= Fraction(str(stated["upper"]["value"])) - upper <= upper / 10**9
        and 0 <= bound - Fraction(str(stated["lower"]["value"])) <= abs(bound) / 10**9
        and all(abs(said[key] - true[key]) <= true[key] / 10**9 for key in said)
        and Fraction(str(data["floor"])) <= bound
        and 0 <= Fraction(str(data["gap"])) - (top / bound - 1) <= (top / bound - 1) / 10**9 + Fraction(1, 10**12)
        and 0 <= Fraction(str(data["problem"]["epsilon"])) / log - 1 + Fraction(1, 10**14) <= Fraction(11, 10**10)
    )


def highest_bound(proof, scale, gram, p, entry):
    """What a certificate proves where its conditions hold on all rows, else None."""
    k = len(p)
    constant = p @ gram @ p - sum(share * gram[u, u] for u, share in enumerate(p))
    if proof["kind"] == "levels":
        return None
    dual = np.array([[Fraction(proof["dual"][max(u, v)][min(u, v)]) / scale for v in range(k)] for u in range(k)])
    prices = np.array([Fraction(price) / scale for price in proof["prices"]])
    centring = np.array([[Fraction(u == v) - p[u] for v in range(k)] for u in range(k)])
    centred = centring.T @ gram @ centring
    squares = dual @ centred @ dual
    rows = (np.array(row) for row in itertools.product((Fraction(1), entry), repeat=k))
    if sum(prices) <= 0 or any(r @ squares @ r > (r @ p) * (r @ prices) for r in rows):
        return None
    return sum((dual @ centred)[u, u] for u in range(k)) ** 2 / sum(prices) + constant
