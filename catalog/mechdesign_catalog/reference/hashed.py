"""Make reports of hashed items: BLH, OLH and HRR with a hash of each user's own, HCMS with public ones."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache

from mechdesign_catalog.oracles.kinds.local_hashing import HashingOracle
from mechdesign_catalog.oracles.kinds.sketch import Hcms
from mechdesign_catalog.oracles.probabilities import direct, flip
from mechdesign_catalog.reference.byte_stream import Draws, randomised_response
from mechdesign_catalog.reference.rows import Row, parity


def report_hashed(oracle: HashingOracle, value: int, draws: Draws) -> Row:
    """Draw the s words of a hash, each uniform below 2^w, and answer with the item's bucket by randomised response."""
    family = oracle.hashes
    words = tuple(draws.uniform_below(1 << family.word_bits) for _ in range(family.rows))
    own = bucket_of(oracle, value, words)
    kept = direct(family.buckets, oracle.alpha).p
    return {"coefficients": words, "bucket": randomised_response(draws, own, family.buckets, kept)}


def bucket_of(oracle: HashingOracle, item: int, words: Sequence[int]) -> int:
    """Find the bucket that a hash, given by its s words, puts an item into.

    The item is x in binary, of m bits; where the number g of buckets is not 2^s, one more bit, above these, is 1. Bit i
    of z is the parity of the bits that word i and x have in common. The bucket is `floor(z g / 2^s)`.
    """
    family = oracle.hashes
    written = item | family.affine << family.item_bits
    hashed = sum(parity(word & written) << place for place, word in enumerate(words))
    return hashed * family.buckets >> family.rows


def report_sketched(oracle: Hcms, value: int, draws: Draws) -> Row:
    """Draw a hash and a place, both uniform, and turn the bit of the item there over with `alpha/(1+alpha)`.

    The bit is the parity of the bits that the item and the combined word of the hash and the place have in common.
    """
    chosen, place = draws.uniform_below(oracle.hashes), draws.uniform_below(oracle.width)
    turned = draws.bernoulli(flip(oracle.alpha))
    return {"hash": chosen, "place": place, "bit": parity(combined_word(oracle, chosen, place) & value) ^ turned}


def combined_word(oracle: Hcms, chosen: int, place: int) -> int:
    """Combine the public words of a hash by exclusive or: those whose number i is a bit of the place that is 1."""
    size = oracle.width.bit_length() - 1
    words = public_words(oracle.seed, oracle.hashes * size, (oracle.k - 1).bit_length())
    combined = 0
    for bit in range(size):
        if place >> bit & 1:
            combined ^= words[chosen * size + bit]
    return combined


@lru_cache(maxsize=4)
def public_words(seed: int, count: int, bits: int) -> tuple[int, ...]:
    """Return the words of all public hashes: those of hash 0 in order, then those of hash 1, and so on.

    They are the output of SHAKE-256 for the text `mechdesign hcms SEED` (ASCII, SEED in decimal), cut into whole
    numbers of `word_bytes(bits)` bytes, the first byte counting least, of which the lowest `bits` bits count.
    """
    length = word_bytes(bits)
    data = hashlib.shake_256(f"mechdesign hcms {seed}".encode("ascii")).digest(count * length)
    mask = (1 << bits) - 1
    return tuple(int.from_bytes(data[at : at + length], "little") & mask for at in range(0, len(data), length))


def word_bytes(bits: int) -> int:
    """Return how many bytes a word of so many bits travels in: the least of 1, 2, 4 and 8 that holds it."""
    return next(length for length in (1, 2, 4, 8) if bits <= 8 * length)
