"""Leaves of the reference: oracles of one item, as reports and as estimates.

A kind reads nothing but what the document of a task states of an oracle.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, prod
from typing import Any, NamedTuple

from mechdesign_catalog.reference.algebra import Rationals, as_flint, solve, sum_product
from mechdesign_catalog.reference.byte_stream import Draws, randomised_response, uniform_subset
from mechdesign_catalog.reference.columns import (
    Bits,
    Column,
    Numbers,
    Row,
    are_independent,
    number_bytes,
    packed_bits,
    packed_set,
    unpacked_bits,
)
from mechdesign_catalog.reference.stated import Items, Stated, parity

Rows = Sequence[Row]
Columns = Callable[[Stated], list[Column]]
Draw = Callable[[Stated, Any, Draws], Row]


class Kind(NamedTuple):
    """A kind of oracle: the columns of a report, how one is drawn, and what reports estimate, exactly."""

    columns: Columns
    draw: Draw
    estimates: Callable[[Stated, Rows], Any]


def pure(columns: Columns, draw: Draw, supports: Callable[[Stated, Row], Iterable[int]]) -> Kind:
    """Return the kind whose reports support items: the own one with p, any other one with q."""

    def estimates(oracle: Stated, rows: Rows) -> Rationals:
        sums = [sum(of_item) for of_item in zip(*(supports(oracle, row) for row in rows), strict=True)]
        return rescaled(oracle, sums, [len(rows)] * len(sums), len(rows))

    return Kind(columns, draw, estimates)


def rescaled(oracle: Stated, sums: Iterable[int], asked: Iterable[int], users: int) -> Rationals:
    """Return `(S_v / n - q) / (p - q)`, or with `q A_v / n` for q where A_v users were asked about v."""
    scale = 1 / (users * (oracle.p - oracle.q))
    return [scale * (found - oracle.q * count) for found, count in zip(sums, asked, strict=True)]


def number(name: str, bound: Callable[[Stated], int]) -> Columns:
    """Return a report of one number below a bound."""
    return lambda oracle: [Numbers(name, bound(oracle))]


def choice(
    name: str, weights: Callable[[Stated, int], list[int]], estimates: Callable[[Stated, Rationals], Rationals]
) -> Kind:
    """Return the kind that chooses a number by weights of the item, and estimates from the shares of the numbers."""

    def of_shares(oracle: Stated, rows: Rows) -> Rationals:
        told = [row[name] for row in rows]
        return estimates(oracle, [Fraction(told.count(one), len(rows)) for one in range(len(oracle.weights))])

    return Kind(
        number(name, lambda oracle: len(oracle.weights)),
        lambda oracle, value, draws: {name: draws.choose(weights(oracle, value))},
        of_shares,
    )


Told = Callable[[Stated, Any, Draws], tuple[Row, int]]


def sign(columns: Columns, told: Told, estimates: Callable[[Stated, Rows], Any]) -> Kind:
    """Return the kind that reports whether a sign is minus, turned over with the chance `turned`, in the last column.

    `told` draws what the sign is of. Where that stands in the last column too, it is even there.
    """

    def draw(oracle: Stated, value: Any, draws: Draws) -> Row:
        row, minus = told(oracle, value, draws)
        last = columns(oracle)[-1].name
        return {**row, last: row.get(last, 0) + (minus ^ draws.bernoulli(oracle.turned))}

    return Kind(columns, draw, estimates)


# A row of bits, and a set.


def draw_bits(oracle: Stated, value: int | None, draws: Draws) -> Row:
    """Draw a bit for each item: the own one, if there is one, is 1 with p, others with q."""
    return _bits_of(range(oracle.k), oracle, value, draws)


def _bits_of(items: Items, oracle: Stated, value: int | None, draws: Draws) -> Row:
    return {"bits": packed_bits([draws.bernoulli(oracle.p if item == value else oracle.q) for item in items])}


def _draw_some_bits(oracle: Stated, value: int, draws: Draws) -> Row:
    if oracle.d == oracle.k:
        return draw_bits(oracle, value, draws)
    buckets = uniform_subset(draws, oracle.k, oracle.d)
    return {"buckets": buckets, **_bits_of(buckets, oracle, value, draws)}


def _columns_some_bits(oracle: Stated) -> list[Column]:
    buckets, bits = Numbers("buckets", oracle.k, count=oracle.d, rising=True), Bits("bits", oracle.d)
    return [bits] if oracle.d == oracle.k else [buckets, bits]


def _draw_subset(oracle: Stated, value: int, draws: Draws) -> Row:
    """Draw whether the own item is in the set, and then the others, which are numbered without it."""
    kept = draws.bernoulli(oracle.p)
    others = uniform_subset(draws, oracle.k - 1, oracle.size - kept)
    return {"bits": packed_set([*[other + (other >= value) for other in others], *[value] * kept], oracle.k)}


def _support_of_bits(oracle: Stated, row: Row) -> list[int]:
    return unpacked_bits(row["bits"], oracle.k)


def _from_some_bits(oracle: Stated, rows: Rows) -> Rationals:
    sums, asked = [0] * oracle.k, [0] * oracle.k
    for row in rows:
        buckets = row.get("buckets", range(oracle.k))
        for bucket, bit in zip(buckets, unpacked_bits(row["bits"], oracle.d), strict=True):
            sums[bucket] += bit
            asked[bucket] += 1
    return [Fraction(oracle.k, oracle.d) * share for share in rescaled(oracle, sums, asked, len(rows))]


# A hash of the item: drawn by the user, or public.


def _columns_hashed(oracle: Stated) -> list[Column]:
    return [Numbers("coefficients", 1 << oracle.word_bits, count=oracle.words), Numbers("bucket", oracle.buckets)]


def _draw_hashed(oracle: Stated, value: int, draws: Draws) -> Row:
    words = tuple(draws.uniform_below(1 << oracle.word_bits) for _ in range(oracle.words))
    own = bucket_of(oracle, value, words)
    return {"coefficients": words, "bucket": randomised_response(draws, own, oracle.buckets, oracle.kept)}


def bucket_of(oracle: Stated, item: int, words: Sequence[int]) -> int:
    """Find the bucket that a hash, given by its s words, puts an item into: `floor(z g / 2^s)` of g buckets.

    Bit i of z is the parity of word i and the item, which has one more bit, 1 above all others, where g is not 2^s.
    """
    values = 1 << len(words)
    written = item if oracle.buckets == values else item | 1 << oracle.item_bits
    hashed = sum(parity(word & written) << place for place, word in enumerate(words))
    return int(hashed * oracle.buckets // values)


def _support_of_hash(oracle: Stated, row: Row) -> list[int]:
    return [int(bucket_of(oracle, item, row["coefficients"]) == row["bucket"]) for item in range(oracle.k)]


def _told_sketched(oracle: Stated, value: int, draws: Draws) -> tuple[Row, int]:
    row = {"hash": draws.uniform_below(oracle.hashes), "place": draws.uniform_below(oracle.width)}
    return row, parity(combined_word(oracle, **row) & value)


def combined_word(oracle: Stated, hash: int, place: int) -> int:
    """Combine the public words of a hash by exclusive or: those whose number i is a bit of the place that is 1."""
    rows = oracle.width.bit_length() - 1
    words = _public_words(oracle.seed, oracle.hashes * rows, oracle.item_bits)
    combined = 0
    for bit in range(rows):
        combined ^= words[hash * rows + bit] if place >> bit & 1 else 0
    return combined


@lru_cache(maxsize=4)
def _public_words(seed: int, count: int, bits: int) -> Sequence[int]:
    """Return the words of all public hashes, those of hash 0 first."""
    length = number_bytes(1 << bits)
    data = hashlib.shake_256(f"mechdesign hcms {seed}".encode("ascii")).digest(count * length)
    return [int.from_bytes(data[at : at + length], "little") % (1 << bits) for at in range(0, len(data), length)]


def _support_of_sketch(oracle: Stated, row: Row) -> list[int]:
    word = combined_word(oracle, row["hash"], row["place"])
    return [int(parity(word & item) == row["bit"]) for item in range(oracle.k)]


def _columns_sketched(oracle: Stated) -> list[Column]:
    return [Numbers("hash", oracle.hashes), Numbers("place", oracle.width), Numbers("bit", 2)]


# Matrices of weights.


def _weights_of_row(oracle: Stated, value: int) -> list[int]:
    """Weigh a row, times the numerator of alpha where the item has the letter 0, else the denominator."""
    times = {"0": oracle.alpha.numerator, "1": oracle.alpha.denominator}
    return [weight * times[row[value]] for weight, row in zip(oracle.weights, oracle.rows, strict=True)]


def _from_design(oracle: Stated, shares: Rationals) -> Rationals:
    return solve(as_flint(oracle.weights), [oracle.denominator * share for share in shares])


def _from_rows(oracle: Stated, told: Rationals) -> Rationals:
    """Solve A f = b, sums over the rows r: `A = weight r r' / (denominator m)`, `b = share r / m`, m the mean of r."""
    entries = {"0": Fraction(1), "1": 1 / oracle.alpha}
    rows_of_numbers = [[entries[letter] for letter in row] for row in oracle.rows]
    means = [sum_product(oracle.prior, row) / sum(oracle.prior) for row in rows_of_numbers]
    weights = [weight / (oracle.denominator * mean) for weight, mean in zip(oracle.weights, means, strict=True)]
    shares = [share / mean for share, mean in zip(told, means, strict=True)]
    columns = list(zip(*rows_of_numbers, strict=True))
    weighed = [[one * weight for one, weight in zip(column, weights, strict=True)] for column in columns]
    matrix = as_flint(weighed) * as_flint(rows_of_numbers)
    return solve(matrix, [sum_product(shares, column) for column in columns])


# Signs, and a number.


def _told_signed(oracle: Stated, value: int, draws: Draws) -> tuple[Row, int]:
    word = draws.uniform_below(oracle.k // 2)
    return {"report": 2 * word}, parity(word & value >> 1) ^ value & 1


def _from_signs(oracle: Stated, rows: Rows) -> Rationals:
    """Estimate for each place the share of users with plus there, less that of those with minus."""
    sums = [0] * (oracle.k // 2)
    for row in rows:
        word, minus = divmod(row["report"], 2)
        sums[word] += 1 - 2 * minus
    return [signed_sum(sums, place) / (len(rows) * (1 - 2 * oracle.turned)) for place in range(len(sums))]


def signed_sum(numbers: Sequence[int | Fraction], place: int) -> Fraction:
    """Sum numbers, with the sign -1 where the parity of the number's place and the given place is 1."""
    return sum_product((1 - 2 * parity(at & place) for at in range(len(numbers))), numbers)


def _draw_mean(oracle: Stated, value: int, draws: Draws) -> Row:
    return {"bit": (draws.uniform_below(oracle.steps) < value) ^ draws.bernoulli(oracle.q)}


def _mean_of_numbers(oracle: Stated, rows: Rows) -> Rationals:
    ones = sum(row["bit"] for row in rows)
    return [oracle.maximum * mean for mean in rescaled(oracle, [ones], [len(rows)], len(rows))]


# Rows of blocks of a circle or a torus, at public shifts.


def _columns_masked(oracle: Stated) -> list[Column]:
    return [Numbers("shift", shifts_of(oracle)), *_columns_of_masks(oracle)]


def _columns_nested(oracle: Stated) -> list[Column]:
    return [Numbers("cell", oracle.cells), *_columns_of_masks(oracle)]


def _columns_of_masks(oracle: Stated) -> list[Column]:
    masks = Numbers("masks", 1 << oracle.label_bits, count=oracle.masks, first=1, independent=True)
    return [masks, Numbers("bucket", 1 << oracle.masks)]


def _draw_masked(oracle: Stated, value: int, draws: Draws) -> Row:
    shift = draws.uniform_below(shifts_of(oracle))
    return {"shift": shift, **_draw_bucket(oracle, label_of(oracle, shift, value), draws)}


def _draw_nested(oracle: Stated, value: int, draws: Draws) -> Row:
    own, label = divmod(value, 1 << oracle.label_bits)
    if draws.bernoulli(oracle.named):
        return {"cell": own, **_draw_bucket(oracle, label, draws)}
    other = draws.uniform_below(oracle.cells - 1)
    masks = draws.row_below(1 << oracle.label_bits, oracle.masks, are_independent)
    return {"cell": other + (other >= own), "masks": masks, "bucket": draws.uniform_below(1 << oracle.masks)}


def _draw_bucket(oracle: Stated, label: int, draws: Draws) -> Row:
    masks = draws.row_below(1 << oracle.label_bits, oracle.masks, are_independent)
    rest = (1 << oracle.masks) - oracle.below
    is_held = draws.bernoulli(oracle.held)
    chosen = draws.uniform_below(oracle.below) if is_held else oracle.below + draws.uniform_below(rest)
    return {"masks": masks, "bucket": chosen ^ _bucket(masks, label)}


def _bucket(masks: Sequence[int], label: int) -> int:
    return sum(parity(mask & label) << bit for bit, mask in enumerate(masks))


def shifts_of(oracle: Stated) -> int:
    """Return the number of shifts."""
    return prod(shifts for _, _, shifts in _sides(oracle))


def label_of(oracle: Stated, shift: int, place: int) -> int:
    """Number the block of a place: of a torus row by row of blocks."""
    found, factor = 0, 1
    for size, runs, shifts in reversed(_sides(oracle)):
        found += ((place % size - shift % shifts) % size * runs + runs - 1) // size * factor
        place, shift, factor = place // size, shift // shifts, factor * runs
    return found


def _sides(oracle: Stated) -> list[tuple[int, int, int]]:
    """Return size, runs and shifts of a circle, or of the rows and of the columns of a torus."""
    if hasattr(oracle, "columns"):
        sizes = ((oracle.k // oracle.columns, oracle.height), (oracle.columns, oracle.width))
        runs = [(size, -(-size // most)) for size, most in sizes]
    else:
        runs = [(oracle.k, int(oracle.pieces))]
    return [(size, number, size // gcd(size, number)) for size, number in runs]


def _held_by_masks(oracle: Stated, row: Row) -> list[int]:
    own = (_bucket(row["masks"], label_of(oracle, row["shift"], place)) for place in range(oracle.k))
    return [int(bucket ^ row["bucket"] < oracle.below) for bucket in own]


def _held_by_nested(oracle: Stated, row: Row) -> list[int]:
    labels = (divmod(place, 1 << oracle.label_bits) for place in range(oracle.k))
    return [
        int(cell == row["cell"] and _bucket(row["masks"], label) ^ row["bucket"] < oracle.below)
        for cell, label in labels
    ]


def _draw_rotated(oracle: Stated, value: int, draws: Draws) -> Row:
    row, is_held = set(row_of(oracle)), draws.bernoulli(oracle.held)
    places = [place for place in range(oracle.k) if (place in row) == is_held]
    return {"start": (value - places[draws.uniform_below(len(places))]) % oracle.k}


def row_of(oracle: Stated) -> list[int]:
    """List the places of the row that starts at place 0."""
    return [place for place in range(oracle.k) if bisect_right(oracle.ends, place) % 2]


def _held_by_rotation(oracle: Stated, row: Row) -> list[int]:
    own = set(row_of(oracle))
    return [int((place - row["start"]) % oracle.k in own) for place in range(oracle.k)]


def held(columns: Columns, draw: Draw, places: Callable[[Stated, Row], Iterable[int]]) -> Kind:
    """Return the kind that is told the share of reports that hold each place."""

    def estimates(oracle: Stated, rows: Rows) -> Rationals:
        return [
            Fraction(sum(of_place), len(rows)) for of_place in zip(*(places(oracle, row) for row in rows), strict=True)
        ]

    return Kind(columns, draw, estimates)


_BITS = pure(lambda oracle: [Bits("bits", oracle.k)], draw_bits, _support_of_bits)
_HASHED = pure(_columns_hashed, _draw_hashed, _support_of_hash)

LEAVES = {
    "grr": pure(
        number("item", lambda oracle: oracle.k),
        lambda oracle, value, draws: {"item": randomised_response(draws, value, oracle.k, oracle.p)},
        lambda oracle, row: [int(item == row["item"]) for item in range(oracle.k)],
    ),
    **dict.fromkeys(("sue", "oue", "rappor", "oue-z"), _BITS),
    "ss": pure(lambda oracle: [Bits("bits", oracle.k, ones=oracle.size)], _draw_subset, _support_of_bits),
    "dbitflip": Kind(_columns_some_bits, _draw_some_bits, _from_some_bits),
    **dict.fromkeys(("blh", "olh", "hrr"), _HASHED),
    "hcms": sign(_columns_sketched, _told_sketched, pure(_columns_sketched, draw_bits, _support_of_sketch).estimates),
    "designed": choice("item", lambda oracle, value: [row[value] for row in oracle.weights], _from_design),
    "workload-design": choice("row", _weights_of_row, _from_rows),
    "signed-hrr": sign(number("report", lambda oracle: oracle.k), _told_signed, _from_signs),
    **dict.fromkeys(("masked-blocks", "masked-rectangles"), held(_columns_masked, _draw_masked, _held_by_masks)),
    "nested-masks": held(_columns_nested, _draw_nested, _held_by_nested),
    "rotated-cells": held(number("start", lambda oracle: oracle.k), _draw_rotated, _held_by_rotation),
    "onebitmean": Kind(number("bit", lambda oracle: 2), _draw_mean, _mean_of_numbers),
}
"""By the names of oracles: also of those that are parts of others alone."""
