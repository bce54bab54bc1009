"""Tasks of test vectors, for oracles of levels and of several attributes."""

import hashlib
from collections.abc import Iterator, Sequence
from math import prod

from mechdesign_catalog.collection.clients.task_clients import make_task
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.reference.vectors.vectors import VectorCase

OFTEN = "28/101"
"""Two outcomes have chances of 129ths: every other byte is thrown away."""

OF_ITEMS: tuple[tuple[str, int, str, int], ...] = (
    ("hh:b=2", 4, "1/2", 24),
    ("hh:b=4", 21, OFTEN, 24),
    ("hh:b=3:in=hrr:levels=3-2", 9, OFTEN, 24),
    ("hh:b=3:in=olh", 7, "1/4", 24),
    ("hh:b=2:in=grr:estimate=raw", 6, OFTEN, 24),
    ("hh:b=3:in=auto", 20, "1/2", 24),
    ("hh:b=4:in=ss", 21, "1/2", 24),
    ("hh:b=2:in=ss-hrr:levels=1-2-3-4:estimate=raw", 11, OFTEN, 36),
    ("haar", 8, OFTEN, 24),
    ("haar:levels=3-2-2-1", 11, "1/2", 30),
    ("blocks:levels=8*3-4*2-2*1-x1*1", 8, OFTEN, 24),
    ("blocks:levels=9*2-4*1-x3*1-xb*1", 9, "1/8", 24),
    ("blocks:levels=37*2-16*1-x10f*2", 37, "1/3", 24),
    ("blocks:levels=514*1", 513, "1/3", 8),
    ("warped-blocks:levels=3-4", 6, OFTEN, 24),
    ("warped-blocks:levels=3-1-1-2", 13, "1/2", 24),
    ("warped-blocks:levels=1-1-1-1-9", 17, "1/5", 30),
)
"""Oracle, number of items, alpha, and reports: enough that each level has one."""

OF_PAIRS: tuple[tuple[str, tuple[int, int], str, int], ...] = (
    ("hh2:b=2", (2, 4), OFTEN, 36),
    ("hh2:b=3:in=hrr", (5, 3), OFTEN, 36),
    ("hh2:b=3:in=auto:levels=4-1-2-2-1", (4, 3), "1/2", 60),
    ("hh2:b=3:in=grr", (14, 2), OFTEN, 60),
    ("hh2:b=4:in=ss", (4, 5), "1/2", 60),
    ("haar2", (4, 4), OFTEN, 48),
    ("haar2", (3, 5), "1/2", 72),
    ("blocks2:levels=1x1*2-1x2*1-2x1*1-2x2*1", (2, 4), OFTEN, 24),
    ("blocks2:levels=1x1*3-3x2*2-1x6*1", (3, 6), "1/3", 24),
    ("blocks2:levels=1x1*3-2x2*2", (3, 5), "1/2", 24),
)
"""The same of tables with so many rows and columns."""

OF_ATTRIBUTES: tuple[tuple[str, tuple[int, ...], str, int], ...] = (
    ("spl", (2, 6), OFTEN, 12),
    ("spl", (3, 2, 4), "1/8", 12),
    ("smp", (2, 6, 3), "3/4", 24),
    ("rs+fd:encoding=grr", (2, 3), OFTEN, 12),
    ("rs+fd:encoding=oue-z", (2, 9), "1/2", 12),
    ("rs+fd:encoding=adp", (2, 3, 7), "3/4", 12),
    ("inprr:sue", (2, 3), "784/10201", 12),
    ("inprr:oue", (2, 3, 2), OFTEN, 12),
    ("inpps", (2, 3, 2), "65/704", 12),
    ("inpolh", (2, 3, 2), OFTEN, 24),
    ("inphtcms:hashes=3:width=4:seed=7", (3, 2), OFTEN, 12),
    ("inpem", (2, 2, 2), "1/8", 12),
    ("inpem:k=1", (2,) * 9, "1/512", 12),
    ("margrr:sue", (2, 3, 2), "784/10201", 18),
    ("margrr", (2, 5, 2), OFTEN, 18),
    ("margps", (2, 3, 4), OFTEN, 18),
    ("marght", (2, 2, 2), OFTEN, 48),
    ("calm", (2, 3, 2, 2), "3/4", 36),
    ("calm:sets=0.1.2+0.1+1.2", (2, 2, 3), OFTEN, 24),
    ("inpht", (2, 3, 4), OFTEN, 48),
    ("inpht:k=1:draw=uniform", (2, 5, 2), "1/2", 24),
    ("inpes", (3, 4, 2), OFTEN, 48),
    ("inpes:basis=helmert", (4, 3), "1/2", 24),
    ("inpes:basis=walsh:draw=uniform:k=1", (4, 2, 8), "1/2", 24),
)
"""The same of attributes with so many items each."""

MOST_SUMMED = 1000
"""Items, or combinations of items, of which sums and estimates are listed."""

LARGE_ITEMS: tuple[tuple[str, int, str, int], ...] = (
    ("hh:in=hrr", 70_000, "1/2", 12),
    ("haar", 70_000, "1/2", 12),
    ("blocks:levels=70016*3-3282*2-x10f*1", 70_000, "1/2", 12),
)
LARGE_PAIRS: tuple[tuple[str, tuple[int, int], str, int], ...] = (
    ("haar2", (300, 300), "1/2", 12),
    ("blocks2:levels=1x1*3-10x30*2-300x3*1", (300, 300), "1/2", 12),
)
LARGE_ATTRIBUTES: tuple[tuple[str, tuple[int, ...], str, int], ...] = (
    ("inpps", (300, 300), "1/2", 12),
    ("inphtcms", (300, 300), "1/2", 12),
    ("margps", (20, 30, 40), "1/2", 12),
    ("margps", (2,) * 24, "1/2", 12),
    ("marght", (2,) * 16, "1/2", 12),
    ("inpht", (16,) * 8, "1/2", 12),
)
"""Clients alone: numbers of more than a byte."""


def system_cases() -> Iterator[VectorCase]:
    """Make the tasks, with the values of their users."""
    for oracle, k, alpha, users in (*OF_ITEMS, *LARGE_ITEMS):
        yield _of_items(make_task(oracle, alpha=alpha, k=k), k, users)
    for oracle, sides, alpha, users in (*OF_PAIRS, *LARGE_PAIRS):
        task = make_task(oracle, alpha=alpha, bins=[f"0:{side}:1" for side in sides])
        yield _of_items(task, prod(sides), users)
    for oracle, domains, alpha, users in (*OF_ATTRIBUTES, *LARGE_ATTRIBUTES):
        items = {f"attribute {number}": range(items) for number, items in enumerate(domains, start=1)}
        task = make_task(oracle, alpha=alpha, domain=Attributes.of(items))
        yield _case(task, [spread(place, domains) for place in range(users)], prod(domains))


def spread(place: int, domains: Sequence[int]) -> tuple[int, ...]:
    """Return the items of one user: the first ones, the last ones, and then others, each attribute's by itself.

    >>> spread(0, (2, 2, 9)), spread(1, (2, 2, 9)), spread(2, (2, 2, 9))
    ((0, 0, 0), (1, 1, 8), (1, 1, 2))
    """
    if place < 2:
        return tuple(place * (k - 1) for k in domains)
    return tuple(_any_number(f"{place} {number}") % k for number, k in enumerate(domains))


def _any_number(label: str) -> int:
    """Return a number that has nothing to do with those of other labels."""
    return int.from_bytes(hashlib.sha256(f"mechdesign vectors value {label}".encode("ascii")).digest()[:8], "little")


def _of_items(task: Task, k: int, users: int) -> VectorCase:
    return _case(task, [spread(place, (k,))[0] for place in range(users)], k)


def _case(task: Task, values: Sequence[object], k: int) -> VectorCase:
    return VectorCase(task, values, with_sums=k <= MOST_SUMMED)
