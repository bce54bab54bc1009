"""Headers that somebody changed and gave a digest that fits: one line and exit code 2, never a traceback."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from tampered_reports import ODD, PARAMETER_KINDS, aggregated, read_body, set_at

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.reports.report_files import read_header, write_reports
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.datasets.items.bins import parse_bins
from mechdesign_catalog.oracles import headers, make_oracle
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean

ITEMS = ["Cork", "Galway", "Dublin", "Belfast", "Derry"]
VALUES = np.array([0, 1, 2, 3, 4, 4, 1, 0])
ORACLES = {
    name: make_oracle(name.split(",")[0], 5, Privacy(epsilon=1), **options)
    for name, options in {
        "grr": {},
        "oue": {},
        "sue": {},
        "rappor": {"p": "1/4", "q": "3/4"},
        "blh": {},
        "olh": {},
        "hrr": {"t": 2},
        "hcms": {"hashes": 4, "width": 8},
        "ss": {},
        "dbitflip": {},
        "dbitflip, two": {"d": 2},
        "design:none:L0": {},
    }.items()
} | {"onebitmean": OneBitMean.up_to(24, Privacy(epsilon=1), k=5)}


def digest_of_items(items):
    return hashlib.sha256("".join(f"{item}\n" for item in items).encode()).hexdigest()


def write_good(oracle):
    """A file of reports; returns its header."""
    items = None if isinstance(oracle, OneBitMean) else tuple(ITEMS)
    digest = "" if items is None else digest_of_items(items)
    write_reports(Path("good.parquet"), Header(Task(oracle.parameters, digest, items)), [oracle.privatize(VALUES)])
    return read_body("good.parquet")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder."""
    monkeypatch.chdir(tmp_path)


# In these fields the odd value is a possible one; items may be left out where --domain is given. A seed goes with no
# identity, and no seed with one.
POSSIBLE_PARAMETERS = {("privacy", "digits"), ("maximum", "digits")}
POSSIBLE = {
    "seed": {"null"},
    "task.domain.bins": {"no list"},
    "task.domain.ordered": {"true"},
    "memory": {"empty"},
    "round": {"empty"},
}
FIELDS = [
    "format",
    "task",
    "task.parameters",
    "task.domain",
    "task.domain.sha256",
    "task.domain.items",
    "task.domain.bins",
    "task.domain.ordered",
    "rows",
    "groups",
    "reports",
    "reports.sha256",
    "seed",
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "place", [*FIELDS, "memory", "identity", "round", "task.parameters.oracle", "task.parameters.other"]
)
def test_fields_of_other_kinds(here, place):
    good = write_good(ORACLES["grr"])
    for name, odd in ODD.items():
        error = aggregated(good, set_at(place, odd))
        assert (error is None) == (name in POSSIBLE.get(place, ())), (name, error)


@pytest.mark.parametrize("place", [place for place in FIELDS if "." not in place])
def test_fields_that_are_missing(here, place):
    assert aggregated(write_good(ORACLES["grr"]), lambda body: body.pop(place)) is not None


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (list("abcde"), "items must be those of the domain's digest, got others in the header of bad.parquet"),
        (ITEMS[::-1], "items must be those of the domain's digest"),
        ([*ITEMS[:4], ITEMS[0]], "items of a domain must be distinct, got Cork twice in the header"),
        ([None] * 5, "items must be a list of texts, got others in the header"),
        ([1, 2, 3, 4, 5], "items must be a list of texts, got others in the header"),
        ([*ITEMS[:4], "\ud800"], "items must be texts in UTF-8, got others in the header"),
        ([*ITEMS[:4], ""], "items of a domain must be texts of one line"),
        ("abcde", "items must be a list of texts"),
        (None, "domain must be given"),
    ],
)
def test_items_are_those_of_the_digest(here, mechdesign, items, message):
    assert message in aggregated(write_good(ORACLES["grr"]), set_at("task.domain.items", items))
    seen = mechdesign("aggregate", "bad.parquet", "--json")
    assert (seen.code, seen.err.count("\n"), seen.out) == (2, 1, "")
    assert message in seen.err


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        ({"bins": ["0:5:1"]}, None),
        ({"bins": ["0:6:1"]}, "bins must be those of the domain's digest, got others in the header of bad.parquet"),
        ({"bins": ["0:05:1"]}, "bins must be those of the domain's digest"),
        ({"bins": ["0:5:1"] * 2}, "bins must be those of the domain's digest"),
        ({"bins": ["0:5:1"] * 3}, "bins must be given for one column or two, got 3"),
        ({"bins": ["5:0:1"]}, "edges of bins must increase, got 5:0:1 in the header"),
        ({"bins": [5]}, "bins must be a list of texts, got others"),
        ({"ordered": False}, "ordered must be true or false, and true exactly for one of bins, got False"),
        ({"bins": [], "ordered": False}, "domain must be given for a domain that is too large"),
        ({"items": ITEMS, "sha256": digest_of_items(ITEMS)}, "bins must be those of the domain's digest"),
        ({"items": ITEMS}, "items must be those of the domain's digest"),
    ],
)
def test_bins_are_those_of_the_digest(here, domain, message):
    write_good(ORACLES["grr"])
    good = read_body("good.parquet")
    good["task"]["domain"] |= {"sha256": parse_bins("0:5:1").digest, "items": None, "bins": ["0:5:1"], "ordered": True}
    error = aggregated(good, lambda body: body["task"]["domain"].update(domain))
    assert error is message or message in error


@pytest.mark.slow
@pytest.mark.parametrize("name", ORACLES)
def test_parameters_of_other_kinds(here, name):
    good = write_good(ORACLES[name])
    for parameter, was in [*good["task"]["parameters"].items(), ("other", None)]:
        for label in PARAMETER_KINDS:
            error = aggregated(good, set_at(f"task.parameters.{parameter}", ODD[label]))
            possible = ODD[label] == was or (parameter, label) in POSSIBLE_PARAMETERS or parameter == "seed"
            assert possible or error is not None, (parameter, label)


def test_headers_round_trip(tmp_path):
    path, oracle = tmp_path / "r.parquet", ORACLES["grr"]
    header = Header(Task(oracle.parameters, digest_of_items(ITEMS), tuple(ITEMS)), memory="0f" * 16, round="r")
    write_reports(path, header, [oracle.privatize(VALUES), oracle.privatize(VALUES)])
    found = read_header(path)
    assert (found.task.parameters, found.task.items, found.memory, found.rows) == (
        oracle.parameters,
        tuple(ITEMS),
        "0f" * 16,
        16,
    )
    assert (len(found.identity), len(found.reports_digest), found.seed) == (32, 64, None)


def test_memory_round_and_identity_stand_together(here):
    good = write_good(ORACLES["grr"])
    whole = {"memory": "0f" * 16, "round": "one"}
    assert aggregated(good, lambda body: body.update(whole)) is None
    for changes in ({"memory": ""}, {"round": ""}, {"identity": ""}):
        error = aggregated(good, lambda body, changes=changes: body.update(whole | changes))
        assert (
            error
            == "memory, round and identity of a batch must stand together, got only some in the header of bad.parquet"
        )


@pytest.mark.slow
def test_headers_of_any_depth():
    """Whether reading or the digest gives up first depends on the interpreter."""
    for depth in (10, *range(800, 1100), 100_000):
        text = '{"format": "mechdesign-reports/2", "deep": ' + "[" * depth + "]" * depth + "}"
        with pytest.raises(InputError):
            Header.from_json(text, Task({}), "deep.parquet")


@pytest.mark.parametrize("odd", [None, True, 0.5, [1], {}, float("nan")])
def test_parameters_are_texts_and_whole_numbers(odd):
    with pytest.raises(InputError, match=r"^parameters must be texts and whole numbers, got d="):
        headers.parameters({"parameters": {"oracle": "dbitflip", "d": odd}})
