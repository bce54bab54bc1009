"""Users with several attributes in Python: tables of values in, reports, tables of shares out."""

import csv
import io
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from wording import refused, warned

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.clients.client import UserRows
from mechdesign_catalog.collection.clients.input_specification import InputSpecification
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.estimates.marginals_estimate import MarginalsEstimate
from mechdesign_catalog.collection.reports.batches import ReportFile
from mechdesign_catalog.collection.servers.aggregating import aggregate
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.decoders.tables.subsets import PeopleShares
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES

ITEMS = {"cc": ("no", "yes"), "tip": ("no", "yes"), "zone": ("west", "east", "north")}
BITS = dict.fromkeys(("cc", "tip", "far"), ("no", "yes"))
USERS = 4000


def people(items, users=USERS):
    """Items of users, the second attribute like the first more often than not, shape (users, d)."""
    generator = np.random.default_rng(3)
    values = np.stack([generator.integers(len(listed), size=users) for listed in items.values()], axis=1)
    values[: users // 2, 1] = values[: users // 2, 0]
    return values


def texts(items, values):
    return {name: [listed[v] for v in values[:, j]] for j, (name, listed) in enumerate(items.items())}


VALUES = people(ITEMS)
TEXTS = texts(ITEMS, VALUES)
FRAMES = {
    "lists": dict,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "array": lambda columns: np.array(list(columns.values())).T,
}


def test_tables_of_every_kind_make_the_same_reports():
    for kind in FRAMES:
        wanted = privatize(TEXTS, "margps:k=2", epsilon=2, domain=ITEMS, seed=1)
        made = privatize(FRAMES[kind](TEXTS), "margps:k=2", epsilon=2, domain=Attributes.of(ITEMS), seed=1)
        assert made.header == wanted.header
        assert made.header.task.domain == Attributes.of(ITEMS)


def quiet(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return privatize(*arguments, **options)


@pytest.mark.parametrize("name", MARGINAL_ORACLES)
def test_reports_of_every_oracle_go_through_files_and_add_up(name, tmp_path):
    values = people(BITS)
    columns = texts(BITS, values)
    halves = [{name: column[part] for name, column in columns.items()} for part in (slice(0, 2000), slice(2000, None))]
    for number, half in enumerate(halves):
        reports = quiet(half, name, epsilon=3, domain=BITS, seed=number)
        reports.save(tmp_path / f"{number}.parquet")
        assert ReportFile.at(tmp_path / f"{number}.parquet").header == reports.header
    found = aggregate([tmp_path / "0.parquet", tmp_path / "1.parquet"])
    assert isinstance(found, MarginalsEstimate)
    assert found.users == USERS
    shares = PeopleShares((2, 2, 2), values)
    for names in (["cc"], ["cc", "tip"])[: found.oracle.way]:
        table = found.table(names)
        error = np.abs(table.shares - shares.table(found.subset(names)))
        assert (error < 4.5 * table.standard_errors).all()
        assert table.shares.sum() == pytest.approx(1, abs=1e-9)


def test_tables_by_name():
    found = aggregate(privatize(TEXTS, "margps:k=2", epsilon=3, domain=ITEMS, seed=1))
    straight, turned = found.table(["tip", "zone"]), found.table(["zone", "tip"])
    assert straight.labels()[:2] == [("no", "west"), ("no", "east")]
    assert turned.labels()[:2] == [("west", "no"), ("west", "yes")]
    order = [turned.labels().index(cell[::-1]) for cell in straight.labels()]
    for part in ("shares", "estimates", "standard_errors"):
        assert np.array_equal(getattr(straight, part), getattr(turned, part)[order])
    assert np.array_equal(straight.covariance(), turned.covariance()[np.ix_(order, order)])
    assert np.sqrt(np.diag(turned.covariance())) == pytest.approx(turned.standard_errors, rel=1e-9)
    low, high = straight.intervals(0.5)
    assert high - low == pytest.approx(2 * 0.6744898 * straight.standard_errors, rel=1e-6)
    assert [tuple(table.names) for table in found.tables()] == [("cc", "tip"), ("cc", "zone"), ("tip", "zone")]
    assert [tuple(table.names) for table in found.tables(1)] == [("cc",), ("tip",), ("zone",)]
    assert repr(found) == f"<MarginalsEstimate: {len(TEXTS['cc'])} users; cc, tip, zone>"
    assert "<table>" in found._repr_html_()
    rows = list(csv.DictReader(io.StringIO(found.tabulate(post="raw").csv_bytes().decode())))
    assert {row["post"] for row in rows} == {"raw"}
    raw = found.table(["tip", "zone"], "raw")
    assert [float(row["share"]) for row in rows[-6:]] == raw.shares.tolist()
    assert not np.allclose(raw.shares, straight.shares, atol=1e-6)
    for way in (0, 3):
        with refused(InputError):
            found.tables(way)


def test_biased_tables_keep_the_unbiased_ones_beneath():
    found = aggregate(privatize(TEXTS, "margps:k=2", epsilon="1/5", domain=ITEMS, seed=1))
    plain, told = found.table(["cc", "zone"]), found.table(["cc", "zone"], "norm-sub")
    assert (plain.is_unbiased, told.is_unbiased) == (True, False)
    assert np.array_equal(plain.shares, plain.estimates)
    assert np.array_equal(told.estimates, plain.estimates)
    assert told.shares.min() >= 0
    assert plain.shares.min() < 0
    assert np.array_equal(told.intervals(), plain.intervals())
    row = next(csv.DictReader(io.StringIO(told.tabulate().csv_bytes().decode())))
    assert float(row["estimate"]) == plain.shares[0]
    assert float(row["share"]) == told.shares[0]


def test_a_broken_claim_is_warned_of_before_the_values_are_read():
    with warned(UserWarning) as caught:
        privatize(TEXTS, "rs+fd", epsilon=1, domain=ITEMS)
    assert caught[0].filename == __file__
    with warned(UserWarning), refused(InputError):
        privatize({**TEXTS, "zone": ["Rome"] * USERS}, "rs+fd", epsilon=1, domain=ITEMS)
    for name in ("spl", "smp", "margps:k=2"):
        privatize(TEXTS, name, epsilon=1, domain=ITEMS)  # warnings are errors here


def test_what_is_lost_is_said_once_before_the_first_report():
    told = []
    items = Attributes.of(ITEMS)
    client, names = InputSpecification(items).client("rs+fd", Privacy(epsilon=1), 1)
    assert names == items.names
    assert not client.keeps_claim
    assert "NOT 1-LDP" in client.losses
    rows = [UserRows([column[k : k + 9] for column in TEXTS.values()], (), k + 1) for k in range(0, 27, 9)]
    pieces = client.collect(rows, "x", lambda: told.append(len(made))).pieces
    made = []
    for piece in pieces:
        made.append(piece)
        assert told == [0]
    assert sum(map(len, made)) == 27
    bad = [UserRows([["no"], ["no"], ["Rome"]])]
    with refused(InputError):
        next(client.collect(bad, "x", lambda: told.append("bad")).pieces)
    assert told == [0]
    assert InputSpecification(["a", "b"]).client("grr", Privacy(epsilon=1), 1)[0].losses is None


def test_attributes_that_are_too_many_letters_are_given_again(tmp_path, monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.collection.tasks.task.MOST_CHARACTERS", 5)
    chosen = {"columns": ["zone", "cc"]}
    reports = privatize(TEXTS, "spl", epsilon=1, domain=ITEMS, seed=2, **chosen)
    reports.save(tmp_path / "r.parquet")
    wanted = Attributes.of(ITEMS).taken(["zone", "cc"])
    assert aggregate(reports).attributes == wanted
    with refused(InputError, about="domain"):
        aggregate(tmp_path / "r.parquet")
    (tmp_path / "a.csv").write_bytes(Attributes.of(ITEMS).csv_bytes())
    for domain in (ITEMS, tmp_path / "a.csv"):
        assert aggregate(tmp_path / "r.parquet", domain=domain).attributes == wanted
    with refused(InputError, about="columns"):
        aggregate(tmp_path / "r.parquet", domain={"cc": ("no", "yes")})
    with refused(InputError, about="domain"):
        aggregate(tmp_path / "r.parquet", domain={**ITEMS, "cc": ("yes", "no")})


def test_what_does_not_go_together():
    for values, options in [
        (TEXTS, {"domain": None}),
        (TEXTS, {"domain": ["a", "b"]}),
        (TEXTS, {"columns": ["cc", "tax"]}),
        ({"cc": TEXTS["cc"]}, {}),
        ({**TEXTS, "cc": ["no"]}, {}),
        (np.zeros((5, 2)), {}),
        (["no", "yes"], {}),
        ({name: [] for name in ITEMS}, {}),
        (TEXTS, {"users": range(USERS), "memory": "m.db", "round": "1"}),
    ]:
        with refused(InputError):
            privatize(values, "spl", epsilon=1, **{"domain": ITEMS, **options})


def test_tables_that_do_not_fit_the_memory_are_refused_before_the_work(monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.collection.estimates.marginals_estimate.memory_limit", lambda: 10**8)
    items = {"town": range(2000), "cc": ("no", "yes")}
    found = aggregate(privatize({"town": [1, 2] * 9, "cc": ["no"] * 18}, "spl", epsilon=50, domain=items))
    assert found.table(["cc"]).shares.tolist() == pytest.approx([1, 0], abs=1e-9)
    for ask in (lambda: found.table(["town"]), lambda: found.tables(1)):
        with refused(InputError):
            ask()
