"""Count-mean sketches with chosen public hashes: for tests over all of them."""

import numpy as np

from mechdesign_catalog.oracles.kinds.sketch import Hcms


def with_hashes(oracle: Hcms, matrices: list[tuple[int, ...]]) -> Hcms:
    """The oracle with these public hashes: for each one, a word for each bit of a place."""
    table = np.zeros((oracle.hashes, oracle.width), dtype=np.uint8)
    for j, rows in enumerate(matrices):
        for place in range(oracle.width):
            for bit, word in enumerate(rows):
                table[j, place] ^= word if place >> bit & 1 else 0
    oracle.__dict__["coefficients"] = table
    return oracle
