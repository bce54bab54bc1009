"""Tasks of every kind of oracle, and real reports of a few users for each."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from oracle_cases import CASES

from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.randomizers.oracle import LocalOracle
from mechdesign_catalog.randomizers.reports.reports import Reports
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.registry import parse_oracle
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES, parse_marginal_oracle

USERS = 24
SYSTEMS = [
    "hh:b=2",
    "hh:b=3:in=grr",
    "hh:b=2:in=hrr:estimate=raw",
    "haar",
    "blocks:levels=8*3-4*2-x3*1",
    "warped-blocks:levels=2-1-3",
    "hh2:b=2:sides=2x4",
    "haar2:sides=4x2",
    "blocks2:sides=4x2:levels=1x1*3-2x2*1-1x2*1",
]


@dataclass(frozen=True)
class StateCase:
    """An oracle, and values of users that it takes."""

    label: str
    make: Callable[[], LocalOracle]

    def task(self) -> Task:
        return Task(self.make().parameters)

    def reports(self) -> Reports:
        oracle = self.make()
        values = np.arange(USERS, dtype=np.int64) % 2
        domains = getattr(oracle, "domains", None)
        rows = values if domains is None else np.tile(values[:, np.newaxis], (1, len(domains)))
        return oracle.privatize(rows, seeded_words(3))


def _of_attributes(name: str) -> Callable[[], LocalOracle]:
    binary = name in {"inpem", "marght", "inpht", "inphtcms"}
    return lambda: parse_marginal_oracle(name, (2, 2, 2) if binary else (2, 3, 2), Privacy(epsilon=1))


STATE_CASES = (
    *(StateCase(case.label, case.usual) for case in CASES),
    *(StateCase(text, lambda text=text: parse_oracle(text, 8, Privacy(epsilon=1))) for text in SYSTEMS),
    *(StateCase(name, _of_attributes(name)) for name in MARGINAL_ORACLES),
    StateCase("onebitmean", lambda: OneBitMean(2, Privacy(epsilon=1), Fraction(24))),
)
