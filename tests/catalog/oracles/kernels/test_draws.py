"""Bytes are those of the words from the lowest on, so that public hashes are the same on every machine."""

import numpy as np

from mechdesign_catalog.oracles.kernels.draws import random_bytes
from mechdesign_catalog.oracles.kernels.hashing import LinearHashes


def words_of_a_machine(order):
    """Return words 1, 2, ... as a machine of this byte order holds them."""
    return lambda count: (np.arange(1, count + 1, dtype=np.uint64) * 0x0102030405060708).astype(f"{order}u8")


def test_bytes_do_not_depend_on_the_byte_order_of_the_machine():
    big, little = (random_bytes(13, words_of_a_machine(order)).tolist() for order in "><")
    assert big == little == [8, 7, 6, 5, 4, 3, 2, 1, 16, 14, 12, 10, 8]


def test_hashes_do_not_depend_on_the_byte_order_of_the_machine():
    hashes = LinearHashes(1000, 3, 8)
    drawn = [hashes.draw(5, words_of_a_machine(order)).tolist() for order in "><"]
    assert drawn[0] == drawn[1]
