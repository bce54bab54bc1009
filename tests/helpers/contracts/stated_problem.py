"""The linear program of a problem, written down from the definitions alone, to be compared with what is exported.

Rows are (sense, right side, terms); an entry (i, j) is the variable `i * size + j`, and t comes after them.
"""

from fractions import Fraction

ONE = Fraction(1)


def stated_rows(problem, step):
    """The rows of a problem, `step` being the factor over one unit of distance."""
    size = problem.size

    def at(i, j):
        return i * size + j

    every = range(size)
    rows = [row("E", 1, {at(i, j): ONE for i in every}) for j in every]
    rows += [at_least(at(i, j), at(i, m), step**d) for i in every for j, m, d in neighbours(problem)]
    for name in problem.properties:
        kind, _, beta = name.partition(":")
        rows += RULES[kind](size, at, Fraction(beta or 1))
    if problem.aggregate == "worst":
        charges = problem.loss.matrix(size)
        for j in every:
            paid = {at(i, j): -problem.rescaling * charges[i][j] for i in every if charges[i][j]}
            rows.append(row("G", 0, {size * size: ONE, **paid}))
    return rows


def row_honest(size, at, _):
    return [at_least(at(i, i), at(i, j)) for i in range(size) for j in range(size) if i != j]


def column_honest(size, at, _):
    return [at_least(at(j, j), at(i, j)) for i in range(size) for j in range(size) if i != j]


def row_monotone(size, at, _):
    away = [at_least(at(i, j), at(i, j + 1)) for i in range(size) for j in range(i, size - 1)]
    return away + [at_least(at(i, j), at(i, j - 1)) for i in range(size) for j in range(1, i + 1)]


def column_monotone(size, at, _):
    away = [at_least(at(i, j), at(i + 1, j)) for j in range(size) for i in range(j, size - 1)]
    return away + [at_least(at(i, j), at(i - 1, j)) for j in range(size) for i in range(1, j + 1)]


def fair(size, at, _):
    return [equal(at(0, 0), at(i, i)) for i in range(1, size)]


def fair_ends(size, at, _):
    return [equal(at(0, 0), at(size - 1, size - 1))]


def symmetric(size, at, _):
    twins = [(at(i, j), at(size - 1 - i, size - 1 - j)) for i in range(size) for j in range(size)]
    return [equal(a, b) for a, b in twins if a < b]


def honest(size, at, beta):
    return [row("G", beta / size, {at(i, i): ONE}) for i in range(size)]


def smooth(size, at, beta):
    steps = [(at(i, j), at(i + 1, j)) for i in range(size - 1) for j in range(size)]
    return [at_least(a, b, beta) for pair in steps for a, b in (pair, pair[::-1])]


RULES = {
    "RH": row_honest,
    "CH": column_honest,
    "RM": row_monotone,
    "CM": column_monotone,
    "F": fair,
    "FE": fair_ends,
    "S": symmetric,
    "WH": honest,
    "OS": smooth,
}


def neighbours(problem):
    """(j, m, d) of every two neighbours, both ways; of a metric those between which no other input lies."""
    size, model = problem.size, problem.model
    far = {"count": 1, "ldp": size, "lldp": model.radius, "metric": size}[model.name]
    steps = problem.graph.distances.tolist()
    for j in range(size):
        for m in range(size):
            others = [x for x in range(size) if x not in (j, m)]
            if model.name == "metric":
                if j != m and not any(steps[j][x] + steps[x][m] == steps[j][m] for x in others):
                    yield j, m, steps[j][m]
            elif 0 < abs(j - m) <= far:
                yield j, m, 1


def at_least(upper, lower, ratio=ONE):
    return row("G", 0, {upper: ONE, lower: -ratio})


def equal(first, second):
    return row("E", 0, {first: ONE, second: -ONE})


def row(sense, rhs, terms):
    return sense, Fraction(rhs), frozenset(terms.items())
