"""Make reports of users who share out over levels: those of trees and Haar differences, on one column or two."""

from mechdesign_catalog.oracles.levels.haar import Haar
from mechdesign_catalog.oracles.levels.hierarchical import HierarchicalHistograms
from mechdesign_catalog.oracles.levels.level_oracle import LevelOracle
from mechdesign_catalog.oracles.levels.plane.haar2 import Haar2
from mechdesign_catalog.oracles.levels.plane.hh2 import HierarchicalHistograms2
from mechdesign_catalog.oracles.levels.signed_hadamard import SignedHrr
from mechdesign_catalog.oracles.probabilities import flip
from mechdesign_catalog.reference.byte_stream import Draws
from mechdesign_catalog.reference.flat import flat_row
from mechdesign_catalog.reference.rows import Row, packed_row, parity


def report_hh(oracle: HierarchicalHistograms, value: int, draws: Draws) -> Row:
    """Choose a level by the weights of the levels, and report the own node there through the level's oracle.

    Of h levels, level l has nodes of `B^(h-l)` items; the own one is `floor(v / B^(h-l))`.
    """
    level = draws.choose(oracle.level_weights)
    return _about(oracle, level, value // oracle.b ** (oracle.height - 1 - level), draws)


def report_haar(oracle: Haar, value: int, draws: Draws) -> Row:
    """Choose a level by the weights of the levels, and report the own node and half of it by signed Hadamard response.

    Of h levels, level l has nodes of `2^(h-l+1)` items. The halves of its nodes are numbered from 0 on: the own one is
    `floor(v / 2^(h-l))`.
    """
    level = draws.choose(oracle.level_weights)
    return _about(oracle, level, value >> oracle.height - 1 - level, draws)


def report_hh2(oracle: HierarchicalHistograms2, value: int, draws: Draws) -> Row:
    """Choose a pair of heights by the weights of the levels, and report the own node there through the pair's oracle.

    With the row a and the column b of the item, sizes m and m' of the nodes of the two heights, and c nodes of the
    second height, the own one is `floor(a / m) c + floor(b / m')`.
    """
    level = draws.choose(oracle.level_weights)
    (first, second), (rows, columns) = oracle.pairs[level], oracle.trees
    a, b = divmod(value, oracle.shape[1])
    along = columns.leaves // columns.sizes[second]
    return _about(oracle, level, a // rows.sizes[first] * along + b // columns.sizes[second], draws)


def report_haar2(oracle: Haar2, value: int, draws: Draws) -> Row:
    """Choose a pair of contrasts by the weights of the levels, and report the own place and sign there.

    On one side, with items 0.. below a power of two `2^h`, the contrast of height i = 1..h has the place
    `floor(v / 2^i)` of `2^(h-i)`, and the sign bit `floor(v / 2^(i-1)) mod 2`; the whole side has the place 0 of 1, and
    the sign bit 0. With the place s of the first side and t of c on the second, the pair has the place `s c + t`, and
    the exclusive or of the sign bits. Twice the place and the sign bit are reported by signed Hadamard response.
    """
    level = draws.choose(oracle.level_weights)
    (first, second), (rows, columns) = oracle.pairs[level], oracle.trees
    a, b = divmod(value, oracle.shape[1])
    (s, _, one), (t, along, other) = _contrast(a, first, rows.rows - 1), _contrast(b, second, columns.rows - 1)
    return _about(oracle, level, 2 * (s * along + t) + (one ^ other), draws)


def _contrast(item: int, number: int, height: int) -> tuple[int, int, int]:
    """Return the place of an item in the contrast of height `number + 1`, the number of places, and the sign bit."""
    if number == height:
        return 0, 1, 0
    return item >> number + 1, 1 << height - number - 1, item >> number & 1


def report_signed(oracle: SignedHrr, value: int, draws: Draws) -> Row:
    """Draw a word c uniform below the K places, and turn the bit of the item there over with `alpha/(1+alpha)`.

    The item is `2 v + b`, v the place and b the sign; the bit is the parity of the bits that c and v have in common,
    with b added. The report is `2 c +` the bit.
    """
    word = draws.uniform_below(oracle.places)
    return {"report": 2 * word + (parity(word & value >> 1) ^ value & 1 ^ draws.bernoulli(flip(oracle.alpha)))}


def _about(oracle: LevelOracle, level: int, node: int, draws: Draws) -> Row:
    """Report about a node of a level, which is numbered from 1 in reports."""
    kind = oracle.level_oracles[level]
    report = report_signed(kind, node, draws) if isinstance(kind, SignedHrr) else flat_row(kind, node, draws)
    return {"level": level + 1, "report": packed_row(kind.wire, report)}
