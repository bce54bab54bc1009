"""Study 6.9: the share of groups of real people that get a wrong count."""

from collections.abc import Sequence
from fractions import Fraction

from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.curves import metric_words
from mechdesign_figures.studies.counts.panels import draw_multiples
from mechdesign_figures.studies.counts.releases import Releases, adult_people
from mechdesign_figures.studies.study import Row, Study

RELEASES = Releases(
    mechanisms=("GM", "WM", "EM", "UM"),
    sizes=tuple(range(2, 21, 2)),
    alphas=(Fraction(9, 10),),
    data="target",
    values=("income", "sex", "age"),
    opener=adult_people,
    metrics="error-rate",
    repetitions=50,
    seed=609,
)


def draw(rows: Sequence[Row]) -> Figure:
    """Draw the error rate against the group size: a column of panels for each target, a curve for each mechanism."""
    return draw_multiples(
        rows, along="n", across="target", value=metric_words("error-rate"), bar="standard_error", height=3.4
    )


STUDIES = (
    Study(
        number="6.9",
        title="Error rate on Adult against the size of the group",
        setting="Adult; targets income above 50K, sex male, age over 30; alpha = 0.9; n = 2, 4, ..., 20; consecutive "
        "groups; 50 repetitions, bars of one standard error; noise from seed 609",
        columns=RELEASES.columns,
        rows=RELEASES.rows,
        draw=draw,
        problems=RELEASES.problems,
        remark="The group sizes are ours.",
        needs=("adult",),
    ),
)
