"""The picture of a distribution function: its bands, its line, its quantiles and the names along its axis."""

import matplotlib.dates
import numpy as np
import pytest
from matplotlib.figure import Figure
from wording import refused

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.analyses.ordered.quantiles import quantiles
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.datasets.items import Domain
from mechdesign_catalog.datasets.items.bins import parse_bins, parse_grid
from mechdesign_catalog.systems import make_oracle
from mechdesign_figures.plots.distribution import plot_distribution
from mechdesign_figures.plots.parts.saving import describe, picture_bytes


def estimate(domain, users=20_000, epsilon=2):
    oracle = make_oracle("oue", domain.k, Privacy(epsilon=epsilon))
    counts = np.random.default_rng(1).multinomial(users, np.full(domain.k, 1 / domain.k))
    return FrequencyEstimate.of(oracle, domain, oracle.simulate_sums(counts, np.random.default_rng(2)), ordered=True)


def line(axes, words):
    (found,) = [found for found in axes.lines if str(found.get_label()).startswith(words)]
    return np.array(found.get_xydata())


def test_shares_stand_at_the_edges_of_the_bins():
    found = estimate(parse_bins("0:20:5"))
    axes = plot_distribution(found)
    marked = quantiles(found, "0.25,0.5,0.75")
    assert line(axes, "isotonic").T[0].tolist() == [0, 5, 10, 15, 20]
    assert line(axes, "isotonic").T[1] == pytest.approx([0, *marked.rising])
    assert line(axes, "unbiased").T[1][1:-1] == pytest.approx(np.cumsum(found.estimates)[:-1])
    assert (line(axes, "unbiased").T[1][0], line(axes, "unbiased").T[1][-1]) == (0, 1)
    assert line(axes, "quantiles").T[1].tolist() == [0.25, 0.5, 0.75]
    assert line(axes, "quantiles").T[0].tolist() == [5 * item + 2.5 for item in marked.items]
    assert axes.get_xlabel() == "value (4 bins of 5, lines between their edges)"
    assert axes.get_title() == "20,000 reports of oue, epsilon = 2"


def test_bands_are_those_of_the_prefixes_cut_to_what_is_possible():
    found = estimate(parse_bins("0:12:1"), users=300)
    axes = plot_distribution(found, level=0.9)
    each, band = found.cumulative().intervals(0.9), quantiles(found, "0.5", 0.9).band
    for collection, (low, high) in zip(axes.collections[:2], (band, each), strict=True):
        corners = collection.get_paths()[0].vertices
        for place in range(1, 12):
            ends = sorted(corners[corners[:, 0] == place][:, 1])
            wanted = np.clip([low[place - 1], high[place - 1]], 0, 1)
            assert [ends[0], ends[-1]] == pytest.approx(wanted.tolist())


def test_intervals_of_quantiles_span_the_bins_that_are_possible():
    found = estimate(parse_bins("0:12:1"), users=2000)
    marked = quantiles(found, "0.2,0.8")
    axes = plot_distribution(found, at=marked)
    thin, thick = ([segment[:, 0].tolist() for segment in lines.get_segments()] for lines in axes.collections[2:4])
    assert thick == [[low, high + 1] for low, high in zip(marked.low, marked.high, strict=True)]
    assert thin == [[low, high + 1] for low, high in zip(marked.low_all, marked.high_all, strict=True)]
    assert [text.get_text() for text in axes.texts] == [found.items[int(item)] for item in marked.items]
    assert not plot_distribution(found, at=quantiles(found, "0.05:0.95:0.05")).texts


def test_dates_stand_at_their_place():
    axes = plot_distribution(estimate(parse_bins("2020-01-01:2021-01-01:7d")))
    assert [str(matplotlib.dates.num2date(end).date()) for end in axes.get_xlim()] == ["2020-01-01", "2021-01-01"]
    assert axes.get_xlabel() == "date (53 bins of 7 days, lines between their edges)"
    assert line(axes, "isotonic")[-2:, 0].tolist() == [18262 + 364, 18262 + 366]


def test_decimals_stand_at_their_place():
    axes = plot_distribution(estimate(parse_bins("-1:1:0.25")))
    assert line(axes, "isotonic").T[0].tolist() == np.linspace(-1, 1, 9).tolist()


def test_items_in_their_order_are_steps_with_names():
    found = estimate(Domain(("small", "medium", "large")))
    axes = plot_distribution(found)
    (steps,) = [one for one in axes.lines if str(one.get_label()).startswith("isotonic")]
    assert steps.get_drawstyle() == "steps-post"
    assert line(axes, "isotonic").T[1] == pytest.approx([*quantiles(found, "0.5").rising, 1.0])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["small", "medium", "large"]
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {0.0}
    many = plot_distribution(estimate(Domain(tuple(f"item number {place}" for place in range(50)))))
    assert [label.get_text() for label in many.get_xticklabels()][:2] == ["item number 0", "item number 3"]
    assert {label.get_rotation() for label in many.get_xticklabels()} == {40.0}
    assert "one in 3 has its name" in many.get_xlabel()


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 120, 4096])
def test_pictures_of_every_size_are_saved_and_described(k):
    axes = plot_distribution(estimate(parse_bins(f"0:{k}:1"), users=100_000))
    assert len(line(axes, "isotonic")) == min(k, 2000) + 1
    assert picture_bytes(axes, ".png").startswith(b"\x89PNG")
    words = describe(axes.get_figure())
    assert "share of the users below" in words
    assert "95 % band of the whole function, 95 % interval of each edge by itself" in words


def test_axes_of_ones_own():
    figure = Figure()
    axes = figure.add_subplot()
    assert plot_distribution(estimate(parse_bins("0:3:1")), axes) is axes
    assert axes.get_legend() is not None


def test_pairs_have_no_distribution_function():
    with refused(InputError):
        plot_distribution(estimate(parse_grid(["0:2:1", "0:2:1"])))


def test_names_of_quantiles_that_are_near_each_other_share_a_line():
    marked = quantiles(found := estimate(parse_bins("0:120:1")), "0.99,0.5,0.52,0.54,0.1")
    axes = plot_distribution(found, at=marked)
    high, *near, low = (str(item) for item in marked.items)
    assert [text.get_text() for text in axes.texts] == [low, ", ".join(near), high]
    assert [text.xy[1] for text in axes.texts] == pytest.approx([0.1, 0.52, 0.99])
