"""The picture of oracles side by side: a panel for each metric, a line for each oracle."""

from matplotlib.figure import Figure
from pictures import check_repeats
from wording import refused

from mechdesign import InputError, Privacy
from mechdesign_catalog.comparisons.of_oracles import OracleComparison, measure_oracles
from mechdesign_catalog.datasets.items import open_items
from mechdesign_figures.plots.oracle_comparison import (
    ORACLE_LOOKS,
    draw_oracle_comparison,
    plot_oracle_comparison,
    require_plottable,
)

PRIVACIES = (Privacy(epsilon="1/2"), Privacy(epsilon=2))


def rows_of(repetitions=3, metrics="rmse,max", oracles=("grr", "oue", "laplace")):
    data = open_items("titanic:class")
    return measure_oracles(OracleComparison(data, oracles, PRIVACIES, metrics, repetitions), seed=5)


def test_every_measurement_is_drawn_where_it_belongs():
    rows, figure = rows_of(), Figure()
    panels = draw_oracle_comparison(rows, figure)
    assert [axes.get_ylabel() for axes in panels] == ["rmse (share)", "max (share)"]
    for axes, metric in zip(panels, ("rmse", "max"), strict=True):
        drawn = {
            tuple(line.get_xydata().ravel()) for line in axes.get_lines() if len(line.get_xdata()) == len(PRIVACIES)
        }
        for oracle in ("grr", "oue", "laplace"):
            own = [row for row in rows if (row.oracle, row.measured.metric) == (oracle, metric)]
            points = tuple(value for row in own for value in (row.privacy.epsilon, row.measured.mean))
            assert points in drawn
    assert figure.get_suptitle() == "titanic:class: 2,201 users, 4 items"
    words = " ".join(text.get_text() for legend in figure.legends for text in legend.get_texts())
    assert "grr" in words


def test_an_oracle_looks_the_same_in_every_picture():
    for oracles in (("oue",), ("grr", "oue")):
        (axes,) = draw_oracle_comparison(rows_of(1, "rmse", oracles), Figure())
        assert ORACLE_LOOKS["oue"].colour in [line.get_color() for line in axes.get_lines()]


def test_more_than_can_be_read_is_refused():
    require_plottable(["grr"] * 21, ["rmse"] * 12)
    with refused(InputError):
        require_plottable(["grr"], ["rmse"] * 13)
    with refused(InputError):
        require_plottable(["grr"] * 22, ["rmse"])


def test_a_picture_is_the_same_every_time():
    rows = rows_of(1, "rmse,max,tv,zeroed")
    check_repeats(lambda: plot_oracle_comparison(rows))
