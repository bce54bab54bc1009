"""Tasks of test vectors, for oracles of one item a user, or of a number."""

from collections.abc import Iterator
from fractions import Fraction

from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.mechanisms.candidates import make_mechanism
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.reference.vectors.vectors import VectorCase
from mechdesign_catalog.systems.designs.designed import Designed
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.registry import FLAT_ORACLES, make_oracle

HALF, QUARTER, ONE, TWO = Privacy(alpha="1/2"), Privacy(alpha="1/4"), Privacy(epsilon=1), Privacy(epsilon=2)
OFTEN = Privacy(alpha="28/101")
"""Two outcomes have chances of 129ths: every other byte is thrown away."""

WIDE = Privacy(alpha="10000000000000000003/30000000000000000011")
"""Chances are fractions of more than 64 bits, not near 0 or 1: numbers of 32 or 64 bits do not do."""

Listed = tuple[tuple[str, int, Privacy, dict[str, str | int]], ...]

WRITTEN: Listed = (
    ("grr", 4, HALF, {}),
    ("grr", 64, HALF, {}),
    ("grr", 300, ONE, {}),
    ("grr", 300, Privacy(epsilon=100), {}),
    ("grr", 4, WIDE, {}),
    ("sue", 4, QUARTER, {}),
    ("sue", 13, ONE, {}),
    ("oue", 4, OFTEN, {}),
    ("oue", 20, ONE, {}),
    ("oue", 3, WIDE, {}),
    ("rappor", 5, TWO, {}),
    ("rappor", 9, ONE, {"p": "1/4", "q": "3/4"}),
    ("blh", 5, OFTEN, {}),
    ("blh", 300, ONE, {}),
    ("olh", 4, HALF, {}),
    ("olh", 9, QUARTER, {"hash_bits": 3}),
    ("olh", 8, Privacy(alpha="1/3"), {"hash_bits": 3}),
    ("olh", 300, TWO, {}),
    ("hrr", 5, OFTEN, {}),
    ("hrr", 10, TWO, {"t": 3}),
    ("hcms", 5, OFTEN, {"hashes": 3, "width": 4}),
    ("hcms", 300, ONE, {"hashes": 5, "width": 16, "seed": 7}),
    ("ss", 6, HALF, {}),
    ("ss", 19, ONE, {}),
    ("ss", 9, QUARTER, {"size": 5}),
    ("dbitflip", 4, HALF, {}),
    ("dbitflip", 16, ONE, {"d": 4}),
    ("dbitflip", 300, TWO, {"d": 10}),
    ("dbitflip", 6, ONE, {"d": 1}),
)
OTHERS = tuple(name for name in FLAT_ORACLES if name not in {name for name, *_ in WRITTEN})
SMALL: Listed = (*WRITTEN, *((name, k, privacy, {}) for name in OTHERS for k, privacy in ((5, OFTEN), (19, ONE))))
"""Oracles with their sums and estimates: odd numbers of items and buckets, all widths of a byte and more."""

LARGE: Listed = (
    ("grr", 70_000, ONE, {}),
    ("hrr", 70_000, ONE, {}),
    ("olh", 70_000, TWO, {}),
    ("hcms", 70_000, ONE, {}),
    ("dbitflip", 70_000, ONE, {"d": 3}),
)
"""Clients alone, whose servers have long sums: words and items of four bytes."""

ITEMS_ALONE = WorkloadOracle.of(
    RowMechanism(Fraction(1, 3), ("1000", "0100", "0010", "0001"), (1, 1, 1, 1), 6), Prefixes(4), (2, 1, 1, 2)
)
"""Rows of one item, with estimates that are best for users at the ends."""

LONG_WEIGHTS = WorkloadOracle.of(
    RowMechanism(
        Fraction(2, 5), ("100", "010", "001", "110", "011", "101"), (4,) * 3 + (2 * 10**20,) * 3, 12 * 10**20 + 18
    ),
    Ranges(3),
)
"""Weights of more than 64 bits."""

HALVES = WorkloadOracle.of(
    RowMechanism(Fraction(1, 2), ("1100", "0011"), (1, 1), 3),
    MatrixWorkload.of([[1, 1, 0, 0], [0, 0, "1/2", "1/2"]], "halves.csv"),
)
"""Rows that do not tell the items of a half apart, for queries of a file."""

ROWS = 12
"""Reports of each task."""


def flat_cases() -> Iterator[VectorCase]:
    """Make the tasks, with the values of their users."""
    for name, k, privacy, options in SMALL:
        yield of_items(make_oracle(name, k, privacy, **options))
    for name, k, privacy, options in LARGE:
        yield of_items(make_oracle(name, k, privacy, **options), with_sums=False)
    yield of_items(Designed.of(Mechanism(((3, 1), (1, 3)), 4)))
    yield of_items(Designed.of(Mechanism(((10**26 + 1, 6 * 10**25), (6 * 10**25, 10**26 + 1)), 16 * 10**25 + 1)))
    yield of_items(Designed.of(make_mechanism("GM", 4, alpha="1/2")))
    yield of_items(ITEMS_ALONE)
    yield of_items(LONG_WEIGHTS)
    yield of_items(HALVES, with_estimates=False)
    yield of_numbers(OneBitMean(2401, OFTEN, Fraction(24)))
    yield of_numbers(OneBitMean(4, HALF, Fraction(5, 2)))
    yield of_numbers(OneBitMean.up_to("0.1", ONE))


def of_items(oracle: FrequencyOracle, with_sums: bool = True, with_estimates: bool = True) -> VectorCase:
    """Make the task of an oracle about items of numbered names, which travel along where they are few."""
    domain = Domain(tuple(f"item {number}" for number in range(oracle.k)))
    task = Task(oracle.parameters, domain.digest, domain if oracle.k <= 20 else None)
    return VectorCase(task, spread_values(oracle.k), with_sums, with_estimates)


def of_numbers(oracle: OneBitMean) -> VectorCase:
    """Make the task of an oracle about numbers: a value is a step of its grid."""
    return VectorCase(Task(oracle.parameters), spread_values(oracle.k))


def spread_values(k: int) -> tuple[int, ...]:
    """Return the first value, the last one, and others between them."""
    return (0, k - 1, *((7 * number * k // 64 + number) % k for number in range(ROWS - 2)))
