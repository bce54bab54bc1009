"""Tasks of every oracle, by a label: of items, bins, pairs of bins, numbers and several attributes."""

import numpy as np
from row_designs import cyclic_oracle

from mechdesign import Privacy
from mechdesign_catalog.collection.clients.task_clients import make_task
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.randomizers.oracle import LocalOracle
from mechdesign_catalog.randomizers.reports.reports import Reports
from mechdesign_catalog.systems.registry import FLAT_ORACLES

CITIES = ["Cork", "Galway", "Derry", "Sligo", "Naas"]
PEOPLE = {"cc": ["no", "yes"], "tip": ["no", "some", "much"], "toll": ["no", "yes"]}
BITS = {"cc": ["no", "yes"], "tip": ["no", "yes"], "toll": ["no", "yes"]}

WITH_OPTIONS = ("rappor:p=1/4:q=3/4", "hrr:t=3", "hcms:hashes=3:width=8", "ss:size=3", "dbitflip:d=2")
OF_ITEMS = (
    *(name for name in FLAT_ORACLES if name not in ("rappor", "hcms")),
    *WITH_OPTIONS,
    "design:none:L0",
    "hh:b=2",
    "hh:b=3:in=olh:levels=2-1",
    "hh:b=2:in=hrr:estimate=raw",
    "hh:b=5:in=ss",
    "haar",
    "blocks",
    "warped-blocks:levels=2-3",
)
OF_A_WORKLOAD = "workload-design"
OF_PAIRS = ("hh2:b=2", "hh2:b=3:in=hrr", "haar2", "blocks2")
OF_ATTRIBUTES = (
    "spl",
    "smp",
    "rs+fd:encoding=adp",
    "rs+fd:encoding=oue-z",
    "inprr:sue",
    "inprr:oue",
    "inpps",
    "inpolh:k=1",
    "inphtcms:hashes=3:width=8",
    "margrr:sue",
    "margrr",
    "margps",
    "calm",
    "inpht",
    "inpes:basis=helmert",
)
OF_BITS = ("inpem", "marght:k=2")


def task_of(label: str) -> Task:
    """Make the task of this label, with epsilon 1."""
    if label == "onebitmean":
        return make_task(label, epsilon=1, maximum=24)
    if label in OF_PAIRS:
        return make_task(label, epsilon=1, bins=["0:4:1", "0:6:2"])
    if label in OF_ATTRIBUTES:
        return make_task(label, epsilon=1, domain=PEOPLE)
    if label in OF_BITS:
        return make_task(label, epsilon=1, domain=BITS)
    if label == OF_A_WORKLOAD:
        oracle, domain = cyclic_oracle(len(CITIES), Privacy(epsilon=1), (2, 1)), Domain(tuple(CITIES))
        return Task.about(oracle.parameters, domain)
    return make_task(label, epsilon=1, domain=CITIES)


def reports_of(label: str, users: int, seed: int = 3) -> tuple[LocalOracle, Reports]:
    """Make the oracle of this label's task, and reports of users whose items are drawn at random."""
    oracle, generator = task_oracle(task_of(label)), np.random.default_rng(seed)
    domains = getattr(oracle, "domains", None)
    values = (
        generator.integers(0, oracle.k, users)
        if domains is None
        else generator.integers(0, domains, (users, len(domains)))
    )
    return oracle, oracle.privatize(values)


TASKS = (*OF_ITEMS, OF_A_WORKLOAD, *OF_PAIRS, *OF_ATTRIBUTES, *OF_BITS, "onebitmean")
