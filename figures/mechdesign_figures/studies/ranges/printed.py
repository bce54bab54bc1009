"""The printed numbers of chapter 5 of Kulkarni's thesis: tables 5.1 to 5.4, and texts.

Tables 5.2 and 5.3 are errors times 1000 against epsilon, of HH_B with constrained inference (B = 2, 4, 16; OUE in every
level) and of HaarHRR, for 2^26 users. Their captions call them mean squared errors; they are roots of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

HH2, HH4, HH16, HAAR = "HH2", "HH4", "HH16", "Haar"
EPSILONS = ("0.2", "0.4", "0.6", "0.8", "1", "1.1", "1.2", "1.4")
USERS_LOG2 = 26
TIMES = 1000
"""What the printed errors are multiplied by."""

RANGES, PREFIXES = "ranges", "prefixes"

_FOUR, _THREE = (HH2, HH4, HH16, HAAR), (HH2, HH4, HAAR)


@dataclass(frozen=True)
class Part:
    """One part of table 5.2 or 5.3: a domain of `2^log2` items, a row for each epsilon, a column for each system."""

    queries: str
    log2: int
    systems: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]

    def error(self, system: str, epsilon: str) -> float:
        """Return the printed error of a system, times 1000."""
        return self.rows[EPSILONS.index(epsilon)][self.systems.index(system)]

    def cells(self) -> Iterator[tuple[str, str, float]]:
        """List epsilon, system and printed error."""
        for epsilon in EPSILONS:
            for system in self.systems:
                yield epsilon, system, self.error(system, epsilon)


TABLE_5_2 = (
    Part(
        RANGES,
        8,
        _FOUR,
        (
            (4.269, 4.037, 4.176, 3.684),
            (2.024, 2.193, 2.590, 1.831),
            (1.388, 1.341, 1.535, 1.278),
            (1.002, 0.950, 1.130, 0.987),
            (0.844, 0.744, 0.844, 0.811),
            (0.722, 0.667, 0.820, 0.748),
            (0.684, 0.658, 0.642, 0.732),
            (0.571, 0.542, 0.592, 0.601),
        ),
    ),
    Part(
        RANGES,
        16,
        _FOUR,
        (
            (6.745, 7.129, 8.692, 6.666),
            (3.616, 3.424, 4.648, 3.526),
            (2.333, 2.360, 2.793, 2.342),
            (1.644, 1.728, 2.075, 1.711),
            (1.356, 1.377, 1.642, 1.484),
            (1.303, 1.270, 1.597, 1.345),
            (1.090, 1.140, 1.433, 1.201),
            (0.922, 0.995, 1.158, 1.130),
        ),
    ),
    Part(
        RANGES,
        20,
        _FOUR,
        (
            (10.043, 10.493, 11.511, 9.285),
            (5.378, 4.751, 5.617, 5.261),
            (3.605, 3.603, 4.483, 3.693),
            (3.047, 3.042, 3.352, 3.316),
            (2.522, 2.690, 3.131, 2.915),
            (2.556, 2.540, 2.729, 2.722),
            (2.619, 2.488, 2.757, 2.640),
            (2.339, 2.304, 2.652, 2.505),
        ),
    ),
    Part(
        RANGES,
        22,
        _THREE,
        (
            (8.629, 8.889, 8.422),
            (4.546, 4.951, 4.470),
            (3.181, 3.420, 3.085),
            (2.657, 2.692, 2.462),
            (2.247, 2.358, 2.254),
            (1.979, 2.252, 2.139),
            (2.120, 2.066, 1.946),
            (1.650, 1.885, 1.990),
        ),
    ),
)

TABLE_5_3 = (
    Part(
        PREFIXES,
        8,
        _FOUR,
        (
            (4.306, 2.968, 4.282, 2.857),
            (1.859, 1.439, 1.828, 1.377),
            (1.366, 0.957, 1.758, 1.031),
            (0.937, 0.778, 0.896, 0.758),
            (0.802, 0.561, 0.637, 0.613),
            (0.684, 0.533, 0.666, 0.626),
            (0.658, 0.437, 0.670, 0.568),
            (0.573, 0.420, 0.478, 0.494),
        ),
    ),
    Part(
        PREFIXES,
        16,
        _FOUR,
        (
            (7.701, 6.172, 7.014, 5.870),
            (3.266, 3.101, 3.744, 2.880),
            (2.402, 2.176, 2.426, 2.018),
            (1.663, 1.503, 1.834, 1.511),
            (1.338, 1.220, 1.426, 1.244),
            (1.202, 1.051, 1.259, 1.120),
            (1.080, 0.978, 1.147, 1.054),
            (0.973, 0.848, 0.981, 0.973),
        ),
    ),
    Part(
        PREFIXES,
        20,
        _FOUR,
        (
            (8.874, 8.255, 10.462, 7.237),
            (4.734, 4.395, 5.754, 4.271),
            (3.788, 3.485, 4.055, 3.377),
            (3.287, 3.094, 3.268, 3.108),
            (3.022, 2.848, 2.826, 2.920),
            (3.053, 2.756, 2.727, 2.727),
            (3.145, 2.627, 2.914, 2.754),
            (2.975, 2.659, 2.543, 2.696),
        ),
    ),
    Part(
        PREFIXES,
        22,
        _THREE,
        (
            (8.620, 8.638, 8.099),
            (4.181, 4.330, 4.233),
            (2.932, 3.077, 3.063),
            (2.215, 2.590, 2.528),
            (1.958, 2.246, 2.326),
            (1.777, 2.319, 2.181),
            (1.929, 2.174, 2.205),
            (1.613, 1.868, 2.156),
        ),
    ),
)

STEPS_LOG2 = {8: 0, 16: 8, 20: 14, 22: 17}
"""Ranges of table 5.2 begin at multiples of 2 to this power: every range at 2^8 items, few beginnings beyond."""

CENTRAL = {
    "wavelet": (221.62, 306.31, 410.29, 536.32),
    "HH16": (79.23, 164.48, 185.94, 213.87),
    "HH2": (220.06, 305.54, 409.48, 535.63),
}
"""Table 5.4: mean variance of all ranges with a trusted server, epsilon = 1, for the domains below."""

CENTRAL_RATIOS = {"wavelet": (2.7971, 1.8622, 2.20, 2.5077), "HH2": (2.777, 1.8576, 2.202, 2.5044)}
"""Of table 5.4: to HH16."""

CENTRAL_LOG2 = (8, 9, 10, 11)

DATA_SETS = {
    "stackoverflow": (21, 18),
    "movielens": (21, 18),
    "NYC taxi": (24, 17),
    "Gowalla": (21, 16),
}
"""Table 5.1: logarithms of users and of items."""

TIME_SERIES = {"stackoverflow": (2774, 12), "NYC taxi": (122, 30)}
"""Table 5.1: days, and minutes of a slot; September to December 2017 are 122 days."""

FIGURE_LOG2 = (21, 18)
"""Figures 5.4 and 5.5: logarithms of users and of items, whatever the data set."""
