"""Studies 6.10 to 6.13: GM, WM, EM and UM on people whose bits are independent."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

from mechdesign_figures.plots.parts.curves import metric_words
from mechdesign_figures.studies.counts.panels import draw_histograms, draw_multiples
from mechdesign_figures.studies.counts.releases import BINOMIAL, Releases, binomial_people
from mechdesign_figures.studies.study import Study

BEYOND_ONE = Releases(
    mechanisms=("GM", "WM", "EM", "UM"),
    sizes=(4, 8, 12),
    alphas=(Fraction(91, 100), Fraction(67, 100)),
    data="p",
    values=tuple(f"{k / 100:.2f}" for k in range(5, 96, 5)),
    opener=binomial_people,
    metrics="L0:1",
    repetitions=30,
    seed=610,
)
TAILS = replace(BEYOND_ONE, sizes=(8,), values=("0.1", "0.7"), metrics="L0:d", part="d", seed=611)
ROOTS = replace(BEYOND_ONE, sizes=tuple(range(2, 21, 2)), values=("0.1", "0.7"), metrics="rmse", seed=612)
ERRORS = replace(TAILS, metrics="error-histogram", part="error", seed=613)

ALPHAS = "alpha = 0.91, 0.67"

STUDIES = (
    Study(
        number="6.10",
        title="Share of groups with an error beyond 1 against p",
        setting=f"{BINOMIAL}; p = 0.05, 0.1, ..., 0.95; n = 4, 8, 12; {ALPHAS}; 30 repetitions, bars of one standard "
        "error; seed 610",
        columns=BEYOND_ONE.columns,
        rows=BEYOND_ONE.rows,
        draw=partial(draw_multiples, along="p", across="n", value=metric_words("L0:1"), bar="standard_error"),
        problems=BEYOND_ONE.problems,
        remark="The step of p is ours.",
    ),
    Study(
        number="6.11",
        title="Share of groups with an error beyond d against d",
        setting=f"{BINOMIAL}; p = 0.1, 0.7; n = 8; {ALPHAS}; 30 repetitions, bars of one standard error; seed 611",
        columns=TAILS.columns,
        rows=TAILS.rows,
        draw=partial(draw_multiples, along="d", across="p", value=metric_words("L0:d"), bar="standard_error"),
        problems=TAILS.problems,
        remark="p is that of 6.13, alpha that of 6.10.",
    ),
    Study(
        number="6.12",
        title="Root mean squared error against the size of the group",
        setting=f"{BINOMIAL}; p = 0.1, 0.7; n = 2, 4, ..., 20; {ALPHAS}; 30 repetitions, bars of one standard "
        "deviation; seed 612",
        columns=ROOTS.columns,
        rows=ROOTS.rows,
        draw=partial(draw_multiples, along="n", across="p", value=metric_words("rmse"), bar="deviation"),
        problems=ROOTS.problems,
        remark="n is ours, p that of 6.13, alpha that of 6.10.",
    ),
    Study(
        number="6.13",
        title="Error histograms",
        setting=f"{BINOMIAL}; p = 0.1, 0.7; n = 8; {ALPHAS}; 30 repetitions, bars of one standard deviation; seed 613",
        columns=ERRORS.columns,
        rows=ERRORS.rows,
        draw=partial(draw_histograms, across="p", bar="deviation"),
        problems=ERRORS.problems,
        remark="alpha is that of 6.10.",
    ),
)
