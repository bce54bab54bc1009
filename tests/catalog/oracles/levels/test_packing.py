"""Reports of a level's oracle as bytes, and back."""

import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.hadamard import Hrr
from mechdesign_catalog.oracles.kinds.local_hashing import Olh
from mechdesign_catalog.oracles.kinds.unary import Oue
from mechdesign_catalog.oracles.levels.packing import Layout, byte_width

ONE = Privacy(epsilon=1)
ORACLES = [
    (Grr(2, ONE), 1),
    (Grr(256, ONE), 1),
    (Grr(257, ONE), 2),
    (Grr(1 << 20, ONE), 3),
    (Oue(19, ONE), 3),
    (Hrr(70_000, ONE), 5),
    (Olh(40, Privacy(epsilon=6)), 13),
]


@pytest.mark.parametrize(("oracle", "width"), ORACLES, ids=lambda part: str(getattr(part, "name", part)))
def test_reports_are_packed_as_narrow_as_their_numbers_and_unpacked(oracle, width):
    layout = Layout.of(oracle, oracle.report_bounds)
    reports = oracle.privatize(np.arange(500) % oracle.k, seeded_words(3))
    packed = layout.pack(reports)
    assert packed.dtype == np.uint8
    assert packed.shape == (500, layout.width)
    assert layout.width == width
    again = layout.unpack(packed)
    assert again.parameters == reports.parameters
    for name, column in reports.arrays().items():
        assert (again.arrays()[name] == column).all()
    assert oracle.aggregate(again).sums.tobytes() == oracle.aggregate(reports).sums.tobytes()


@pytest.mark.parametrize("oracle", [Grr(5, ONE), Oue(9, ONE), Hrr(5, ONE)], ids=lambda oracle: oracle.name)
def test_keys_of_a_law_are_its_packed_reports(oracle):
    layout = Layout.of(oracle, oracle.report_bounds)
    keys = {layout.key(report) for report in oracle.report_law()}
    assert len(keys) == len(oracle.report_law())
    packed = layout.pack(oracle.privatize(np.arange(300) % oracle.k, seeded_words(4)))
    assert {tuple(row) for row in packed.tolist()} <= keys


def test_widths_hold_the_largest_number():
    for bound in (1, 2, 255, 256, 257, 1 << 16, (1 << 16) + 1, 1 << 40, 1 << 63):
        width = byte_width(bound)
        assert 256**width >= bound > (256 ** (width - 1) if width > 1 else 0)


def test_numbers_beyond_63_bits_are_refused():
    oracle = Grr(1 << 20, ONE)
    layout = Layout(oracle, (("item", True, 8),))
    with pytest.raises(InputError, match=r"item below 2\^63, got more in row 1"):
        layout.unpack(np.full((1, 8), 255, dtype=np.uint8))
