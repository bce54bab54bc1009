"""Headers that somebody changed and gave a digest that fits: one line and exit code 2, never a traceback."""

from pathlib import Path

import numpy as np
import pytest
from tampered_reports import ODD, PARAMETER_KINDS, aggregated, read_body, set_at
from wording import refused

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.reports.report_files import write_reports
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.datasets.items.bins import parse_bins
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.randomizers.reports import headers
from mechdesign_catalog.systems import make_oracle
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle

ONE = Privacy(epsilon=1)
ITEMS = ["Cork", "Galway", "Dublin", "Belfast", "Derry"]
VALUES = np.array([0, 1, 2, 3, 4, 4, 1, 0])
GRR = make_oracle("grr", 5, ONE)
OTHERS = [
    make_oracle("rappor", 5, ONE, p="1/4", q="3/4"),
    make_oracle("hcms", 5, ONE, hashes=4, width=8),
    make_oracle("design:none:L0", 5, ONE),
    OneBitMean.up_to(24, ONE, k=5),
]
BITS = Attributes.of({name: ["no", "yes"] for name in ("cc", "tip", "far")})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write_good(oracle):
    """A file of reports; returns its header."""
    about = BITS if hasattr(oracle, "domains") else Domain(tuple(ITEMS))
    values = VALUES[:, None] % 2 * [1, 0, 1] if about is BITS else VALUES
    task = Task.about(oracle.parameters, None if isinstance(oracle, OneBitMean) else about)
    write_reports(Path("good.parquet"), Header(task), [oracle.privatize(values)])
    return read_body("good.parquet")


POSSIBLE = {
    "seed": {"null"},
    "task.domain.bins": {"no list"},
    "task.domain.ordered": {"true"},
    "memory": {"empty"},
    "round": {"empty"},
}
"""In these fields the odd value is a possible one; a seed goes with no identity, and no seed with one."""

FIELDS = ["format", "task", "rows", "groups", "reports", "seed"]
OF_TASK = [f"task.{field}" for field in ("parameters", "parameters.oracle", "parameters.other")]
OF_DOMAIN = [f"task.domain{field}" for field in ("", ".sha256", ".items", ".bins", ".ordered")]


@pytest.mark.slow
@pytest.mark.parametrize("place", [*FIELDS, *OF_TASK, *OF_DOMAIN, "reports.sha256", "memory", "identity", "round"])
def test_fields_of_other_kinds(place):
    good = write_good(GRR)
    for name, odd in ODD.items():
        error = aggregated(good, set_at(place, odd))
        assert (error is None) == (name in POSSIBLE.get(place, ())), (name, error)
    if place in FIELDS:
        assert aggregated(good, lambda body: body.pop(place)) is not None


LISTED = [{"name": name, "items": ["no", "yes"]} for name in ("cc", "tip", "far")]
BINS = {"sha256": parse_bins("0:5:1").digest, "items": None, "bins": ["0:5:1"], "ordered": True}
DOMAINS = [
    ({"items": ITEMS[::-1]}, "items must be those of the domain's digest, got others in the header of bad.parquet"),
    ({"items": [*ITEMS[:4], ITEMS[0]]}, "items of a domain must be distinct, got Cork twice in the header"),
    ({"items": [1, 2, 3, 4, 5]}, "items must be a list of texts, got others in the header"),
    ({"items": [*ITEMS[:4], "\ud800"]}, "items must be texts in UTF-8, got others in the header"),
    ({"items": None}, "domain must be given"),
    (BINS, None),
    (BINS | {"bins": ["0:05:1"]}, "bins must be those of the domain's digest"),
    (BINS | {"bins": ["0:5:1"] * 3}, "bins must be given for one column or two, got 3"),
    (BINS | {"bins": [5]}, "bins must be a list of texts, got others"),
    (BINS | {"ordered": False}, "ordered must be true or false, and true exactly for one of bins, got False"),
    (BINS | {"bins": [], "ordered": False}, "domain must be given, as it is too large"),
    (BINS | {"items": ITEMS}, "items must be those of the domain's digest"),
    ({"attributes": LISTED[:1]}, "attributes must be those of the domain's digest"),
    ({"attributes": [{"name": "cc"}]}, "attributes must be a list of names with items, got others"),
    ({"attributes": [{"name": "cc", "items": "no"}]}, "attributes must have texts as names and items, got others"),
    ({"attributes": [{"name": "\ud800", "items": ["no", "yes"]}]}, "attributes must be texts in UTF-8, got others"),
    ({"attributes": LISTED[:1] * 2}, "names of attributes must be distinct, got cc twice"),
    ({"attributes": None}, "domain must be given, as its attributes are too large to be stored in the files"),
]


def test_what_reports_are_about_is_that_of_the_digest():
    for domain, message in DOMAINS:
        good = write_good(parse_marginal_oracle("margps:k=2", BITS.sizes, ONE) if "attributes" in domain else GRR)
        error = aggregated(good, lambda body, domain=domain: body["task"]["domain"].update(domain))
        assert error is message or message in error, (domain, error)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["margps:k=2", "inpolh", "rs+fd", *OTHERS], ids=str)
def test_parameters_of_other_kinds(name):
    good = write_good(parse_marginal_oracle(name, BITS.sizes, ONE) if isinstance(name, str) else name)
    for parameter, was in [*good["task"]["parameters"].items(), ("other", None)]:
        for label in PARAMETER_KINDS:
            error = aggregated(good, set_at(f"task.parameters.{parameter}", ODD[label]))
            is_number = label == "digits" and parameter in ("privacy", "maximum")
            assert ODD[label] == was or is_number or parameter == "seed" or error is not None, (parameter, label)


def test_memory_round_and_identity_stand_together():
    good = write_good(GRR)
    whole = {"memory": "0f" * 16, "round": "one"}
    assert aggregated(good, lambda body: body.update(whole)) is None
    message = "memory, round and identity of a batch must stand together, got only some in the header of bad.parquet"
    for changes in ({"memory": ""}, {"round": ""}, {"identity": ""}):
        assert aggregated(good, lambda body, changes=changes: body.update(whole | changes)) == message


def test_headers_of_any_depth_and_parameters_of_any_kind():
    """Whether reading or the digest gives up first depends on the interpreter."""
    for depth in (10, *range(800, 1100, 7), 100_000):
        text = '{"format": "mechdesign-reports/2", "deep": ' + "[" * depth + "]" * depth + "}"
        with pytest.raises(InputError):
            Header.from_json(text, Task({}), "deep.parquet")
    for odd in (None, True, 0.5, [1], {}, float("nan")):
        with refused(InputError, about="parameters"):
            headers.parameters({"parameters": {"oracle": "dbitflip", "d": odd}})
