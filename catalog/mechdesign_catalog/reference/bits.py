"""Make reports that are bits: those of unary encodings, subset selection and dBitFlip."""

from mechdesign_catalog.oracles.kinds.dbitflip import DBitFlip
from mechdesign_catalog.oracles.kinds.subset import SubsetSelection
from mechdesign_catalog.oracles.kinds.unary import UnaryEncoding
from mechdesign_catalog.reference.byte_stream import Draws, uniform_subset
from mechdesign_catalog.reference.rows import Row, packed_bits, packed_set


def report_unary(oracle: UnaryEncoding, value: int, draws: Draws) -> Row:
    """Draw a Bernoulli for each item in order: of p for the own one, of q for every other one."""
    p, q = oracle.support.p, oracle.support.q
    return {"bits": packed_bits([draws.bernoulli(p if item == value else q) for item in range(oracle.k)])}


def report_subset(oracle: SubsetSelection, value: int, draws: Draws) -> Row:
    """Draw whether the own item is in the set, with p, and then the rest of the set.

    That is a subset of the numbers 0..k-2, which stand for the other items in ascending order.
    """
    kept = draws.bernoulli(oracle.support.p)
    others = uniform_subset(draws, oracle.k - 1, oracle.selected - kept)
    chosen = [other if other < value else other + 1 for other in others]
    return {"bits": packed_set([*chosen, value] if kept else chosen, oracle.k)}


def report_dbitflip(oracle: DBitFlip, value: int, draws: Draws) -> Row:
    """Draw a subset of d of the k buckets, then for each in ascending order a Bernoulli: of p for the own one, else q.

    With d = k nothing is drawn for the buckets, and the report does not name them.
    """
    p, q = oracle.support.p, oracle.support.q
    buckets = tuple(range(oracle.k)) if oracle.draws_all else uniform_subset(draws, oracle.k, oracle.drawn)
    answers = packed_bits([draws.bernoulli(p if bucket == value else q) for bucket in buckets])
    return {"bits": answers} if oracle.draws_all else {"buckets": buckets, "bits": answers}
