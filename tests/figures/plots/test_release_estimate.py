"""The picture of a release of several sizes: what is told is drawn with its interval, what is not says so."""

from collections import Counter

import numpy as np
import pytest

from mechdesign import DesignProblem, Mechanism, design
from mechdesign.mechanism.sampling import Sampler, seeded_words
from mechdesign.releases.estimates.estimate import estimate_sizes
from mechdesign_figures.plots.parts.saving import picture_bytes
from mechdesign_figures.plots.release_estimate import UNTOLD_AT, plot_release_estimate

GROUPS = {1: 3, 4: 400, 9: 300}


@pytest.fixture(scope="module")
def found():
    made = {n: design(DesignProblem(n, "2/3", properties="WH,RM,CM")).mechanism for n in GROUPS}
    chance = np.random.default_rng(3)
    counts = {}
    for n, groups in GROUPS.items():
        sampler = Sampler(made[n].weights, made[n].denominator, seeded_words((n, 2)))
        counts[n] = Counter(sampler.sample(chance.binomial(n, 0.4, groups)).tolist())
    return estimate_sizes(made, counts)


def line(axes, label):
    return next(line for line in axes.lines if line.get_label() == label)


def test_sizes_that_are_told_have_their_intervals_and_others_a_cross(found):
    sizes, _ = plot_release_estimate(found).axes
    told = [one for one in found.sizes if one.is_informative]
    without_reports = [one.size for one in found.sizes if not one.is_informative]
    assert (without_reports, [one.size for one in told]) == ([1], [4, 9])
    assert line(sizes, "cannot be told").get_xydata().tolist() == [[1, UNTOLD_AT]]
    assert line(sizes, "mean share, noise interval").get_xydata().tolist() == [
        [one.size, one.mean.value / one.size] for one in told
    ]
    (bars,) = sizes.collections
    ends = [(low[1], high[1]) for low, high in bars.get_segments()]
    assert ends == [(one.mean.low / one.size, one.mean.high / one.size) for one in told]


def test_the_share_of_all_units_is_drawn_with_its_band(found):
    sizes, _ = plot_release_estimate(found).axes
    assert list(line(sizes, "share of all units").get_ydata()) == [found.share.value] * 2
    (band,) = sizes.patches
    assert (band.get_y(), band.get_y() + band.get_height()) == pytest.approx((found.share.low, found.share.high))


def test_the_model_is_called_one(found):
    figure = plot_release_estimate(found)
    _, model = figure.axes
    assert "under a model (beta-binomial) that these data cannot prove" in " ".join(model.get_title().split())
    assert [bar.get_height() for bar in model.patches] == [one.value for one in found.pooled.distribution]
    (bars,) = model.collections
    assert [(low[1], high[1]) for low, high in bars.get_segments()] == [
        (one.low, one.high) for one in found.pooled.distribution
    ]
    assert figure.get_suptitle() == "703 groups of 4,303 units in all, sizes 1, 4, 9; 95 % intervals"


def test_without_an_unbiased_estimate_nothing_is_drawn_by_size():
    flat = Mechanism(((1, 1, 1), (1, 1, 1), (1, 1, 1)), 3)
    figure = plot_release_estimate(estimate_sizes({2: flat}, {2: {0: 3, 2: 1}}))
    sizes, _ = figure.axes
    assert sizes.get_title() == "by size, unbiased\nno unbiased estimate of all groups"
    assert not sizes.patches
    assert [one.get_label() for one in sizes.lines] == ["cannot be told"]
    assert picture_bytes(figure, ".svg").startswith(b"<?xml")
