"""Oracles of levels: clients, what a message adds to the sums, and the shares of the items that follow.

`c` are the constants of the task, `t` its parameters, `r` the random bytes. Sums have the numbers of users of all
levels, and then the sums of the first level's oracle, the second's, and so on.
"""

from fractions import Fraction

from decoder_basics import Message, number, odd
from flat_decoder import FLAT
from rational_algebra import least_squares


def signed_client(c, k, item, r):
    word = r.below(k // 2)
    return number(2 * word + (odd(word & item // 2) + item + r.chance(c["turned"])) % 2, k)


def signed_server(c, k, message):
    word, bit = divmod(message.number(k), 2)
    sums = [0] * (k // 2)
    sums[word] = 1 - 2 * bit
    return sums


def signed_estimate(c, k, sums, n):
    scale = 1 / (n * (1 - 2 * Fraction(c["turned"])))
    return [scale * sum(-s if odd(w & v) else s for w, s in enumerate(sums)) for v in range(k // 2)]


KINDS = {**FLAT, "signed-hrr": (signed_client, signed_server, signed_estimate)}


def inner_client(kind, item, r):
    """A message inside of another: its length in four bytes, and itself."""
    message = KINDS[kind["oracle"]][0](kind, kind["k"], item, r)
    return number(len(message), 256**4) + message


def inner_sums(kinds, chosen, message):
    """The sums of several oracles in a row; the message inside adds to those of one of them."""
    inner = Message(message.bytes(message.number(256**4)))
    found = []
    for place, kind in enumerate(kinds):
        if place == chosen:
            found += KINDS[kind["oracle"]][1](kind, kind["k"], inner)
        else:
            found += [0] * length_of(kind)
    assert not inner.data, "bytes left over in the message inside"
    return found


def length_of(kind):
    """How many sums an oracle has."""
    if kind["oracle"] == "hrr":
        return 2 ** kind["item_bits"]
    return kind["k"] // 2 if kind["oracle"] == "signed-hrr" else kind["k"]


def inner_estimates(kinds, counts, sums):
    """What each oracle estimates from its own sums and users; none where it has no user."""
    found = []
    for kind, n in zip(kinds, counts, strict=True):
        own, sums = sums[: length_of(kind)], sums[length_of(kind) :]
        found.append(KINDS[kind["oracle"]][2](kind, kind["k"], own, n) if n else None)
    return found


def level_client(node_of):
    def client(c, t, item, r):
        chosen = r.pick([level["weight"] for level in c["levels"]])
        level = c["levels"][chosen]
        return number(chosen + 1, len(c["levels"]) + 1) + inner_client(level, node_of(level, t, item), r)

    return client


def level_server(c, t, message):
    levels = c["levels"]
    chosen = message.number(len(levels) + 1) - 1
    assert chosen >= 0, "levels are numbered from 1"
    return [int(place == chosen) for place in range(len(levels))] + inner_sums(levels, chosen, message)


def level_estimates(c, sums):
    height = len(c["levels"])
    return inner_estimates(c["levels"], sums[:height], sums[height:])


def sides(t):
    return tuple(int(side) for side in t["sides"].split("x"))


def hh_node(level, t, item):
    return item // level["items"]


def haar_node(level, t, item):
    return item // level["half"]


def hh2_node(level, t, item):
    row, column = divmod(item, sides(t)[1])
    return row // level["items"][0] * level["columns"] + column // level["items"][1]


def haar2_node(level, t, item):
    places, sign = [], 0
    for place, half in zip(divmod(item, sides(t)[1]), level["half"], strict=True):
        places.append(place // (2 * half) if half else 0)
        sign += place // half if half else 0
    return 2 * (places[0] * level["columns"] + places[1]) + sign % 2


def weights(c):
    total = sum(level["weight"] for level in c["levels"])
    return [Fraction(level["weight"], total) / Fraction(level["variance"]) for level in c["levels"]]


def hh_estimate(c, t, sums, n):
    levels, k = level_estimates(c, sums), t["k"]
    if t["estimate"] == "raw":
        return levels[-1]
    measured = []
    for level, weight, nodes in zip(c["levels"], weights(c), levels, strict=True):
        for node, share in enumerate(nodes):
            start = node * level["items"]
            measured.append((weight, range(start, min(start + level["items"], k)), share))
    return least_squares(k, measured)


def hh2_estimate(c, t, sums, n):
    """Least squares over the leaves of both trees, the padding too, which then is given to items."""
    spans = [sorted({level["items"][side] for level in c["levels"]}) for side in (0, 1)]
    width, measured = spans[1][-1], []
    for level, weight, nodes in zip(c["levels"], weights(c), level_estimates(c, sums), strict=True):
        high, wide = level["items"]
        for node, share in enumerate(nodes):
            a, b = divmod(node, level["columns"])
            rows, columns = range(a * high, (a + 1) * high), range(b * wide, (b + 1) * wide)
            measured.append((weight, [i * width + j for i in rows for j in columns], share))
    leaves = least_squares(spans[0][-1] * width, measured)
    return folded_grid(t, spans, [leaves[i : i + width] for i in range(0, len(leaves), width)])


def haar_estimate(c, t, sums, n):
    """Each node's share is parted by the difference of its halves; all items together have 1."""
    shares = parted([Fraction(1)], level_estimates(c, sums))
    return folded(t["k"], [2**i for i in range(len(c["levels"]) + 1)], shares)


def haar2_estimate(c, t, sums, n):
    """Part the columns first, for the whole of the rows and for each height; then the rows."""
    known = {tuple(level["half"]): share for level, share in zip(c["levels"], level_estimates(c, sums), strict=True)}
    known[0, 0] = [Fraction(1)]
    halves = [sorted({half[side] for half in known} - {0}, reverse=True) for side in (0, 1)]
    height = 2 * halves[0][0]
    grids = []
    for half in (0, *halves[0]):
        places = height // (2 * half) if half else 1
        rows = []
        for place in range(places):
            own = {}
            for other in (0, *halves[1]):
                numbers = known[half, other]
                size = len(numbers) // places
                own[other] = numbers[place * size : (place + 1) * size]
            rows.append(parted(own[0], [own[other] for other in halves[1]]))
        grids.append(rows)
    columns = [
        parted([grids[0][0][j]], [[row[j] for row in grid] for grid in grids[1:]]) for j in range(2 * halves[1][0])
    ]
    spans = [[1, *(2 * half for half in reversed(of_side))] for of_side in halves]
    return folded_grid(t, spans, [list(row) for row in zip(*columns, strict=True)])


def parted(shares, differences):
    for of_level in differences:
        shares = [(s + sign * d) / 2 for s, d in zip(shares, of_level, strict=True) for sign in (1, -1)]
    return shares


def folded_grid(t, spans, grid):
    rows, columns = sides(t)
    across = [folded(columns, spans[1], row) for row in grid]
    down = [folded(rows, spans[0], [row[j] for row in across]) for j in range(columns)]
    return [down[j][i] for i in range(rows) for j in range(columns)]


def folded(items, spans, leaves):
    """Give each item its leaf, and what padding has: every item of the least node around both as much as it weighs.

    `spans` are the sizes of the nodes of all heights. An item's weight of a padding leaf follows from the leaf's least
    ancestor with items: its children with items have equal parts, each child's spread in the same way.
    """
    found = [Fraction(0)] * items

    def give(start, height, amount):
        """Spread an amount over the items of a node."""
        if not height:
            found[start] += amount
            return
        step = spans[height - 1]
        children = [child for child in range(start, start + spans[height], step) if child < items]
        for child in children:
            give(child, height - 1, amount / len(children))

    for leaf, share in enumerate(leaves):
        height = next(h for h, span in enumerate(spans) if leaf // span * span < items)
        give(leaf // spans[height] * spans[height], height, share)
    return found


LEVELS = {
    "hh": (level_client(hh_node), level_server, hh_estimate),
    "haar": (level_client(haar_node), level_server, haar_estimate),
    "hh2": (level_client(hh2_node), level_server, hh2_estimate),
    "haar2": (level_client(haar2_node), level_server, haar2_estimate),
}
"""By oracle: the client, the server, and the estimate."""
