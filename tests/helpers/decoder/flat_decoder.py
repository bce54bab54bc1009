"""Oracles whose users have one item each: how a client makes a message, and what it adds to the server's sums.

`c` are the constants of the task, `k` the number of items, `r` the random bytes. A client returns a message; a server
returns the vector that a message adds to the sums; an estimate is made of the sums and the number of users.
"""

import functools
import hashlib
from fractions import Fraction

from decoder_basics import bits, number, odd, width_of
from rational_algebra import solve


def rescaled(supports, n, c):
    p, q = Fraction(c["p"]), Fraction(c["q"])
    return [(Fraction(s, n) - q) / (p - q) for s in supports]


def one_hot(place, size):
    return [int(i == place) for i in range(size)]


def pure_estimate(c, k, sums, n):
    return rescaled(sums, n, c)


def grr_client(c, k, item, r):
    return number(r.answer(item, k, c["p"]), k)


def grr_server(c, k, message):
    return one_hot(message.number(k), k)


def unary_client(c, k, item, r):
    return bits([r.chance(c["p"] if v == item else c["q"]) for v in range(k)])


def bits_server(c, k, message):
    return message.bits(k)


def ss_client(c, k, item, r):
    kept = r.chance(c["p"])
    others = [v for v in range(k) if v != item]
    chosen = {others[i] for i in r.subset(k - 1, c["size"] - kept)} | ({item} if kept else set())
    return bits([v in chosen for v in range(k)])


def ss_server(c, k, message):
    flags = message.bits(k)
    assert sum(flags) == c["size"], "a set has another size"
    return flags


def dbitflip_client(c, k, item, r):
    d = c["d"]
    buckets = r.subset(k, d) if d < k else range(k)
    answers = bits([r.chance(c["p"] if bucket == item else c["q"]) for bucket in buckets])
    return (b"".join(number(bucket, k) for bucket in buckets) if d < k else b"") + answers


def dbitflip_server(c, k, message):
    """Ones by item; with d < k also how many users have each item's bucket."""
    d = c["d"]
    if d == k:
        return message.bits(k)
    buckets = [message.number(k) for _ in range(d)]
    assert buckets == sorted(set(buckets)), "buckets ascend"
    said = dict(zip(buckets, message.bits(d), strict=True))
    return [said.get(v, 0) for v in range(k)] + [int(v in said) for v in range(k)]


def dbitflip_estimate(c, k, sums, n):
    p, q, d = Fraction(c["p"]), Fraction(c["q"]), c["d"]
    asked = sums[k:] or [n] * k
    return [Fraction(k, d * n) * (sums[v] - q * asked[v]) / (p - q) for v in range(k)]


def bucket(c, words, item):
    """The bucket that a hash puts an item into."""
    z = 0
    if c["buckets"] != 2 ** c["words"]:
        item += 2 ** c["item_bits"]
    for i, word in enumerate(words):
        z += odd(word & item) * 2**i
    return z * c["buckets"] // 2 ** c["words"]


def hash_client(c, k, item, r):
    size = 2 ** c["word_bits"]
    words = [r.below(size) for _ in range(c["words"])]
    answer = r.answer(bucket(c, words, item), c["buckets"], c["kept"])
    return b"".join(number(word, size) for word in words) + number(answer, c["buckets"])


def read_hash(c, message):
    words = [message.number(2 ** c["word_bits"]) for _ in range(c["words"])]
    return words, message.number(c["buckets"])


def hash_server(c, k, message):
    words, answer = read_hash(c, message)
    return [int(bucket(c, words, v) == answer) for v in range(k)]


def hrr_server(c, k, message):
    """For each set u of the words: the sign of the answer's bits in u, at the exclusive or of these words."""
    words, answer = read_hash(c, message)
    sums = [0] * 2 ** c["item_bits"]
    for u in range(2 ** c["words"]):
        place = 0
        for i, word in enumerate(words):
            place ^= word if u >> i & 1 else 0
        sums[place] += -1 if odd(u & answer) else 1
    return sums


def hrr_estimate(c, k, sums, n):
    spread = [sum(-s if odd(place & v) else s for place, s in enumerate(sums)) for v in range(k)]
    return rescaled([Fraction(one, 2 ** c["words"]) for one in spread], n, c)


@functools.cache
def hcms_single_words(seed, count, width, m):
    """The words of all public hashes, from the seed."""
    data = hashlib.shake_256(b"mechdesign hcms %d" % seed).digest(count * width)
    return [int.from_bytes(data[i : i + width], "little") % 2**m for i in range(0, len(data), width)]


def hcms_word(c, j, place):
    """The combined word of a hash and a place."""
    rows, m = c["width"].bit_length() - 1, c["item_bits"]
    single = hcms_single_words(c["seed"], c["hashes"] * rows, width_of(2**m), m)
    word = 0
    for i in range(rows):
        word ^= single[j * rows + i] if place >> i & 1 else 0
    return word


def hcms_client(c, k, item, r):
    j, place = r.below(c["hashes"]), r.below(c["width"])
    bit = odd(hcms_word(c, j, place) & item) ^ r.chance(c["turned"])
    return number(j, c["hashes"]) + number(place, c["width"]) + number(bit, 2)


def hcms_server(c, k, message):
    cell = message.number(c["hashes"]) * c["width"] + message.number(c["width"])
    sign = 1 - 2 * message.number(2)
    return [sign * one for one in one_hot(cell, c["hashes"] * c["width"])]


def hcms_estimate(c, k, sums, n):
    words = [hcms_word(c, *divmod(cell, c["width"])) for cell in range(len(sums))]
    spread = [sum(-s if odd(word & v) else s for word, s in zip(words, sums, strict=True)) for v in range(k)]
    return rescaled([Fraction(n + one, 2) for one in spread], n, c)


def design_client(c, k, item, r):
    return number(r.pick([int(row[item]) for row in c["weights"]]), k)


def design_estimate(c, k, sums, n):
    """Solve P f = shares by elimination."""
    rows = [[Fraction(int(w), int(c["denominator"])) for w in row] for row in c["weights"]]
    rows = [[*row, Fraction(s, n)] for row, s in zip(rows, sums, strict=True)]
    for at in range(k):
        pivot = next(i for i in range(at, k) if rows[i][at])
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [entry / rows[at][at] for entry in rows[at]]
        for i in range(k):
            if i != at:
                rows[i] = [a - rows[i][at] * b for a, b in zip(rows[i], rows[at], strict=True)]
    return [row[k] for row in rows]


def rows_client(c, k, item, r):
    alpha = Fraction(c["alpha"])
    times = {"0": alpha.numerator, "1": alpha.denominator}
    weights = [int(w) * times[row[item]] for w, row in zip(c["weights"], c["rows"], strict=True)]
    return number(r.pick(weights), len(weights))


def rows_server(c, k, message):
    return one_hot(message.number(len(c["rows"])), len(c["rows"]))


def rows_estimate(c, k, sums, n):
    """Solve A f = b, both summed over the rows."""
    high, prior = 1 / Fraction(c["alpha"]), [int(part) for part in c["prior"]]
    matrix, right = [[Fraction(0)] * k for _ in range(k)], [Fraction(0)] * k
    for text, weight, s in zip(c["rows"], c["weights"], sums, strict=True):
        row = [high if letter == "1" else Fraction(1) for letter in text]
        mean = sum(p * e for p, e in zip(prior, row, strict=True)) / sum(prior)
        for u in range(k):
            right[u] += Fraction(s, n) * row[u] / mean
            for v in range(k):
                matrix[u][v] += Fraction(int(weight), int(c["denominator"])) * row[u] * row[v] / mean
    return solve(matrix, right)


def mean_client(c, k, step, r):
    above = r.below(c["steps"]) < step
    return number(above ^ r.chance(c["q"]), 2)


def mean_server(c, k, message):
    return [message.number(2)]


def mean_estimate(c, k, sums, n):
    return [Fraction(c["maximum"]) * one for one in rescaled(sums, n, c)]


FLAT = {
    "grr": (grr_client, grr_server, pure_estimate),
    "sue": (unary_client, bits_server, pure_estimate),
    "oue": (unary_client, bits_server, pure_estimate),
    "rappor": (unary_client, bits_server, pure_estimate),
    "ss": (ss_client, ss_server, pure_estimate),
    "blh": (hash_client, hash_server, pure_estimate),
    "olh": (hash_client, hash_server, pure_estimate),
    "hrr": (hash_client, hrr_server, hrr_estimate),
    "hcms": (hcms_client, hcms_server, hcms_estimate),
    "dbitflip": (dbitflip_client, dbitflip_server, dbitflip_estimate),
    "designed": (design_client, grr_server, design_estimate),
    "workload-design": (rows_client, rows_server, rows_estimate),
    "onebitmean": (mean_client, mean_server, mean_estimate),
}
"""By oracle: the client, the server, and the estimate."""
