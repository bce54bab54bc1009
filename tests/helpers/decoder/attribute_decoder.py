"""Oracles of several attributes: clients, what a message adds to the sums, and the tables that follow.

`c` are the constants of the task, `t` its parameters, `r` the random bytes. An estimate is a list of tables: of each
attribute, or of each set of k attributes in lexicographic order; a table has the last attribute changing fastest.
"""

from fractions import Fraction
from itertools import combinations, product
from math import prod

from decoder_basics import bits, number, odd
from flat_decoder import FLAT, bits_server, grr_client, grr_server, rescaled, unary_client
from level_decoder import inner_client, inner_estimates, inner_sums
from rational_algebra import solve


def domains(t):
    return [int(part) for part in t["domains"].split(",")]


def asked_sets(t):
    return list(combinations(range(len(domains(t))), t["k"]))


def cells(t, attributes):
    return list(product(*(range(domains(t)[i]) for i in attributes)))


def cell_of(t, attributes, value):
    return cells(t, attributes).index(tuple(value[i] for i in attributes))


def summed(t, attributes, table, part):
    """Sum a table to that of a part of its attributes."""
    found = [Fraction(0)] * len(cells(t, part))
    for items, share in zip(cells(t, attributes), table, strict=True):
        found[cell_of(t, part, dict(zip(attributes, items, strict=True)))] += share
    return found


def spl_client(c, t, value, r):
    pairs = zip(c["attributes"], value, strict=True)
    return b"".join(FLAT[kind["oracle"]][0](kind, kind["k"], item, r) for kind, item in pairs)


def spl_server(c, t, message):
    return [s for kind in c["attributes"] for s in FLAT[kind["oracle"]][1](kind, kind["k"], message)]


def by_attribute(c, sums):
    for kind in c["attributes"]:
        own, sums = sums[: kind["k"]], sums[kind["k"] :]
        yield kind, own


def spl_estimate(c, t, sums, n):
    return [FLAT[kind["oracle"]][2](kind, kind["k"], own, n) for kind, own in by_attribute(c, sums)]


def rsfd_client(c, t, value, r):
    told, parts = r.below(len(value)), []
    for place, (kind, item) in enumerate(zip(c["attributes"], value, strict=True)):
        k = kind["k"]
        if kind["oracle"] == "grr":
            parts.append(grr_client(kind, k, item, r) if place == told else number(r.below(k), k))
        else:
            parts.append(
                unary_client(kind, k, item, r) if place == told else bits([r.chance(kind["q"]) for _ in range(k)])
            )
    return b"".join(parts)


def rsfd_server(c, t, message):
    servers = {"grr": grr_server, "oue-z": bits_server}
    return [s for kind in c["attributes"] for s in servers[kind["oracle"]](kind, kind["k"], message)]


def rsfd_estimate(c, t, sums, n):
    return [rescaled(own, n, kind["mixed"]) for kind, own in by_attribute(c, sums)]


def smp_client(c, t, value, r):
    chosen = r.below(len(value))
    return number(chosen, len(value)) + inner_client(c["attributes"][chosen], value[chosen], r)


def smp_server(c, t, message):
    kinds = c["attributes"]
    chosen = message.number(len(kinds))
    return [int(place == chosen) for place in range(len(kinds))] + inner_sums(kinds, chosen, message)


def smp_estimate(c, t, sums, n):
    d = len(c["attributes"])
    return inner_estimates(c["attributes"], sums[:d], sums[d:])


def joint_client(c, t, value, r):
    kind = c["combinations"]
    return FLAT[kind["oracle"]][0](kind, kind["k"], cell_of(t, range(len(value)), value), r)


def joint_server(c, t, message):
    kind = c["combinations"]
    return FLAT[kind["oracle"]][1](kind, kind["k"], message)


def joint_estimate(c, t, sums, n):
    kind = c["combinations"]
    joint = FLAT[kind["oracle"]][2](kind, kind["k"], sums, n)
    return [summed(t, range(len(domains(t))), joint, part) for part in asked_sets(t)]


def inpem_client(c, t, value, r):
    return bits([(item + r.chance(c["turned"])) % 2 for item in value])


def some_sets(t):
    """Sets of 1 to k attributes: by size, then in lexicographic order."""
    return [own for size in range(1, t["k"] + 1) for own in combinations(range(len(domains(t))), size)]


def inpem_server(c, t, message):
    told = message.bits(len(domains(t)))
    return [(-1) ** sum(told[i] for i in own) for own in some_sets(t)]


def inpem_estimate(c, t, sums, n):
    sure = 1 - 2 * Fraction(c["turned"])
    means = {own: Fraction(s, n) / sure ** len(own) for own, s in zip(some_sets(t), sums, strict=True)}
    return [table_of_signs(t, attributes, means) for attributes in asked_sets(t)]


def table_of_signs(t, attributes, means):
    """Cells from the mean signs of all sets of their attributes: those of two items each."""
    means = {**means, (): Fraction(1)}
    table = []
    for cell in cells(t, attributes):
        items = dict(zip(attributes, cell, strict=True))
        parts = [part for size in range(len(attributes) + 1) for part in combinations(attributes, size)]
        table.append(sum((-1) ** sum(items[i] for i in part) * means[part] for part in parts) / 2 ** len(attributes))
    return table


def kinds_of(c, t):
    """The oracle of the table of each set."""
    by_cells = {kind["k"]: kind for kind in c["tables"]}
    return [by_cells[prod(domains(t)[i] for i in own)] for own in c["sets"]]


def tables_client(c, t, value, r):
    chosen = r.below(len(c["sets"]))
    cell = cell_of(t, c["sets"][chosen], value)
    return number(chosen, len(c["sets"])) + inner_client(kinds_of(c, t)[chosen], cell, r)


def tables_server(c, t, message):
    chosen = message.number(len(c["sets"]))
    return [int(place == chosen) for place in range(len(c["sets"]))] + inner_sums(kinds_of(c, t), chosen, message)


def tables_estimate(c, t, sums, n):
    """A table is the mean of all sets that contain its attributes, by users, precision and number of cells."""
    counts, kinds = sums[: len(c["sets"])], kinds_of(c, t)
    told = inner_estimates(kinds, counts, sums[len(c["sets"]) :])
    found = []
    for part in asked_sets(t):
        weights, tables = [], []
        for own, kind, count, table in zip(c["sets"], kinds, counts, told, strict=True):
            if count and set(part) <= set(own):
                weights.append(count * Fraction(kind["precision"]) / kind["k"])
                tables.append(summed(t, own, table, part))
        mixed = [sum(w * share for w, share in zip(weights, cell, strict=True)) for cell in zip(*tables, strict=True)]
        found.append([share / sum(weights) for share in mixed])
    return found


def marght_client(c, t, value, r):
    unknown = 2 ** t["k"] - 1
    bound = len(c["sets"]) * unknown
    chosen = r.below(bound)
    cell = cell_of(t, c["sets"][chosen // unknown], value)
    bit = (odd(cell & (chosen % unknown + 1)) + r.chance(c["turned"])) % 2
    return number(chosen, bound) + number(bit, 2)


def marght_server(c, t, message):
    bound = len(c["sets"]) * (2 ** t["k"] - 1)
    chosen, sign = message.number(bound), 1 - 2 * message.number(2)
    return [int(i == chosen) for i in range(bound)] + [sign * (i == chosen) for i in range(bound)]


def marght_estimate(c, t, sums, n):
    unknown = 2 ** t["k"] - 1
    bound, sure = len(c["sets"]) * unknown, 1 - 2 * Fraction(c["turned"])
    means = [Fraction(s, count) / sure for count, s in zip(sums[:bound], sums[bound:], strict=True)]
    found = []
    for start in range(0, bound, unknown):
        own = [Fraction(1), *means[start : start + unknown]]
        signed = [[-one if odd(a & cell) else one for a, one in enumerate(own)] for cell in range(unknown + 1)]
        found.append([sum(row) / (unknown + 1) for row in signed])
    return found


def functions_of(c, t):
    """The functions of each attribute."""
    by_items = {made["items"]: made for made in c["functions"]}
    return [by_items[items] for items in domains(t)]


def coefficients(c, t):
    """Every coefficient in order: the number of its set, and the function of each of the set's attributes."""
    functions = functions_of(c, t)
    for number_of_set, own in enumerate(c["sets"]):
        for chosen in product(*(range(len(functions[i]["weights"])) for i in own)):
            yield number_of_set, chosen


def product_client(c, t, value, r):
    functions = functions_of(c, t)
    chosen_set, minus, chosen = r.pick(c["weights"]), 0, []
    for i in c["sets"][chosen_set]:
        chosen.append(r.pick(functions[i]["weights"]))
        share = Fraction(functions[i]["numerators"][chosen[-1]][value[i]], functions[i]["denominator"])
        minus += r.chance((1 - share) / 2)
    known = list(coefficients(c, t))
    minus = (minus + r.chance(c["turned"])) % 2
    return number(2 * known.index((chosen_set, tuple(chosen))) + minus, 2 * len(known))


def product_server(c, t, message):
    known = list(coefficients(c, t))
    chosen, minus = divmod(message.number(2 * len(known)), 2)
    users = [int(place == known[chosen][0]) for place in range(len(c["sets"]))]
    return users + [(1 - 2 * minus) * (place == chosen) for place in range(len(known))]


def product_estimate(c, t, sums, n):
    """The means of coefficients, turned back attribute by attribute."""
    functions, counts = functions_of(c, t), sums[: len(c["sets"])]
    sure, means = 1 - 2 * Fraction(c["turned"]), {}
    for (own, chosen), s in zip(coefficients(c, t), sums[len(c["sets"]) :], strict=True):
        attributes = c["sets"][own]
        chance = Fraction(1)
        for i, place in zip(attributes, chosen, strict=True):
            chance *= Fraction(functions[i]["weights"][place], sum(functions[i]["weights"]))
        means[tuple(zip(attributes, chosen, strict=True))] = Fraction(s, counts[own]) / sure / chance
    means[()] = Fraction(1)
    turned_back = [decoding(made) for made in functions]
    return [product_table(t, attributes, functions, turned_back, means) for attributes in asked_sets(t)]


def product_table(t, attributes, functions, turned_back, means):
    table = []
    for cell in cells(t, attributes):
        share = Fraction(0)
        for chosen in product(*(range(-1, len(functions[i]["weights"])) for i in attributes)):
            used = [(i, place) for i, place in zip(attributes, chosen, strict=True) if place >= 0]
            factors = [turned_back[i][item][p + 1] for i, item, p in zip(attributes, cell, chosen, strict=True)]
            share += prod(factors) * means[tuple(used)]
        table.append(share)
    return table


def decoding(made):
    """For each item, what the constant and each function count: the inverse, or 2^-b times the signs of 2^b codes."""
    items, rows = made["items"], [[Fraction(1)] * made["items"]]
    rows += [[Fraction(entry, made["denominator"]) for entry in row] for row in made["numerators"]]
    if len(rows) > items:
        return [[row[x] / len(rows) for row in rows] for x in range(items)]
    columns = [solve(rows, [Fraction(int(i == j)) for i in range(items)]) for j in range(items)]
    return [[columns[j][x] for j in range(items)] for x in range(items)]


JOINT = (joint_client, joint_server, joint_estimate)
TABLES = (tables_client, tables_server, tables_estimate)
PRODUCTS = (product_client, product_server, product_estimate)
ATTRIBUTES = {
    "spl": (spl_client, spl_server, spl_estimate),
    "smp": (smp_client, smp_server, smp_estimate),
    "rs+fd": (rsfd_client, rsfd_server, rsfd_estimate),
    "inprr:sue": JOINT,
    "inprr:oue": JOINT,
    "inpps": JOINT,
    "inpolh": JOINT,
    "inphtcms": JOINT,
    "inpem": (inpem_client, inpem_server, inpem_estimate),
    "margrr:sue": TABLES,
    "margrr": TABLES,
    "margps": TABLES,
    "calm": TABLES,
    "marght": (marght_client, marght_server, marght_estimate),
    "inpht": PRODUCTS,
    "inpes": PRODUCTS,
}
"""By oracle: the client, the server, and the estimate."""
