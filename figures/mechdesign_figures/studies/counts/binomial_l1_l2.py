"""Studies 6.14 to 6.17: designs for L1 and L2 on people whose bits are independent."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

from mechdesign_figures.plots.parts.curves import metric_words
from mechdesign_figures.studies.counts.panels import draw_multiples
from mechdesign_figures.studies.counts.releases import BINOMIAL, Releases, binomial_people
from mechdesign_figures.studies.study import Study

ROOTS_L1 = Releases(
    mechanisms=("UCM", "WM", "FM", "AM", "UM"),
    sizes=tuple(range(2, 21, 2)),
    alphas=(Fraction(91, 100), Fraction(67, 100)),
    data="p",
    values=("0.1", "0.6"),
    opener=binomial_people,
    metrics="rmse",
    repetitions=30,
    seed=614,
    loss="L1",
)
TAILS_L1 = replace(ROOTS_L1, sizes=(8,), metrics="L1:d", part="d", seed=616)


def roots(number: str, releases: Releases) -> Study:
    """Return the study of root mean squared errors for a loss."""
    return Study(
        number=number,
        title=f"Root mean squared error of designs for {releases.loss} against the size of the group",
        setting=f"{BINOMIAL}; p = 0.1, 0.6; designs UCM, WM (WH), FM (F), AM (all properties), optimal for "
        f"{releases.loss} under the uniform prior, and UM; n = 2, 4, ..., 20; alpha = 0.91, 0.67; 30 repetitions, "
        f"bars of one standard deviation; seed {releases.seed}",
        columns=releases.columns,
        rows=releases.rows,
        draw=partial(draw_multiples, along="n", across="p", value=metric_words("rmse"), bar="deviation"),
        problems=releases.problems,
        remark="n and alpha are those of 6.12, p that of 6.16.",
    )


def tails(number: str, releases: Releases) -> Study:
    """Return the study of the share of groups with errors above d for a loss."""
    return Study(
        number=number,
        title=f"Errors beyond d of designs for {releases.loss} against d",
        setting=f"{BINOMIAL}; p = 0.1, 0.6; designs UCM, WM (WH), FM (F), AM (all properties), optimal for "
        f"{releases.loss} under the uniform prior, and UM; n = 8; alpha = 0.91, 0.67; 30 repetitions, bars of one "
        f"standard error; seed {releases.seed}",
        columns=releases.columns,
        rows=releases.rows,
        draw=partial(
            draw_multiples,
            along="d",
            across="p",
            value=metric_words(f"{releases.loss}:d"),
            bar="standard_error",
        ),
        problems=releases.problems,
        remark="n and alpha are those of 6.11.",
    )


STUDIES = (
    roots("6.14", ROOTS_L1),
    roots("6.15", replace(ROOTS_L1, loss="L2", seed=615)),
    tails("6.16", TAILS_L1),
    tails("6.17", replace(TAILS_L1, loss="L2", metrics="L2:d", seed=617)),
)
