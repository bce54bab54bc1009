import pytest

from mechdesign import InputError
from mechdesign_catalog.data import HISTOGRAMS, open_data


def test_the_published_totals():
    saxony, weldon = open_data("saxony"), open_data("WELDON")
    assert saxony.size == 6115
    assert sum(c * g for c, g in enumerate(saxony.groups)) == 38100  # boys; 0.5192 of 73,380 children
    assert weldon.size == 26306
    assert sum(c * g for c, g in enumerate(weldon.groups)) == 106602  # 0.3377 of 315,672 dice


@pytest.mark.parametrize("data", HISTOGRAMS.values(), ids=lambda data: data.name)
def test_every_set_is_complete(data):
    assert len(data.groups) == data.n + 1
    assert min(data.groups) >= 0
    assert data.source
    assert data.licence


def test_unknown_sets():
    with pytest.raises(InputError, match=r"one of .*, got saxon; did you mean saxony\?"):
        open_data("saxon")
