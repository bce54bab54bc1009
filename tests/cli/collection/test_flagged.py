"""`mechdesign aggregate` says which counts honest users do not give, and leaves out what no client makes if asked."""

import json

import numpy as np
import pytest

from mechdesign import InputError, Privacy
from mechdesign_catalog import CollectionState, PrivateReports, aggregate, collect, make_oracle, privatize, read_state
from mechdesign_catalog.collection.reports.batches import as_batches
from mechdesign_catalog.collection.states.summing import sum_up
from mechdesign_catalog.oracles.reports import Reports, joined

CITIES = ["Cork", "Dublin", "Galway"]


def honest(oracle="oue", users=900):
    return privatize(CITIES * (users // 3), oracle, epsilon=1, domain=CITIES)


def saved(name, oracle, *pieces):
    """Write reports that somebody else made, under the header of honest ones."""
    PrivateReports.of(honest(oracle, 3).header, joined(pieces)).save(name)


def forged(oracle, users, **columns):
    parameters = honest(oracle, 3).reports.parameters
    return Reports(parameters, {name: np.tile(np.array(row), (users, 1)) for name, row in columns.items()})


def test_honest_users_are_not_flagged(mechdesign):
    honest().save("honest.parquet")
    seen = mechdesign("aggregate", "honest.parquet", "--json")
    assert (seen.code, seen.err) == (0, "")
    document = json.loads(seen.out)
    assert (document["flagged"], document["flagged_counts"], document["dropped"]) == ([], 0, 0)
    assert document["flagged_level"] == 1e-9


def test_users_who_all_say_the_same_are_flagged_by_their_item(mechdesign):
    saved("forged.parquet", "oue", honest().reports, forged("oue", 1200, bits=np.array([4], dtype=np.uint8)))
    seen = mechdesign("aggregate", "forged.parquet", "--json")
    assert seen.code == 0
    assert "cannot come from honest users, but with a chance of 1e-09 in all" in seen.err
    assert "item Galway: " in seen.err
    document = json.loads(seen.out)
    flags = {flag["place"]: flag for flag in document["flagged"]}
    assert flags[2]["trials"] == 2100
    assert flags[2]["count"] > flags[2]["expected"] == pytest.approx(1050)
    assert document["flagged_counts"] == len(flags)
    assert mechdesign("aggregate", "forged.parquet", "--quiet").err == ""


def test_a_mean_has_flags_too(mechdesign):
    reports = privatize([3] * 50, "onebitmean", epsilon=1, maximum=10)
    ones = Reports(reports.reports.parameters, {"bit": np.ones(400, dtype=np.uint8)})
    PrivateReports.of(reports.header, ones).save("ones.parquet")
    seen = mechdesign("aggregate", "ones.parquet", "--json")
    assert json.loads(seen.out)["flagged"][0]["count"] == 400
    assert "ones, place 0: 400 of 400, where honest users give 292 on average at most" in seen.err


def test_many_flags_are_said_in_few_lines(mechdesign):
    saved("all.parquet", "oue", forged("oue", 800, bits=np.array([7], dtype=np.uint8)))
    lines = mechdesign("aggregate", "all.parquet").err.splitlines()
    assert [line for line in lines if line.startswith("- item ")] == lines[1:4]
    items = [f"item{number}" for number in range(20)]
    many = privatize(items, "oue", epsilon=1, domain=items)
    rows = np.tile(np.array([255, 255, 15], dtype=np.uint8), (500, 1))
    PrivateReports.of(many.header, Reports(many.reports.parameters, {"bits": rows})).save("many.parquet")
    lines = mechdesign("aggregate", "many.parquet").err.splitlines()
    assert lines[-1] == "- and 17 more (--json has them)"
    assert len(lines) == 5


def broken(oracle, honest_rows, *others):
    """Honest reports, and others that no client makes."""
    saved("broken.parquet", oracle, honest(oracle, honest_rows).reports, *others)


def test_reports_that_no_client_makes_refuse_the_file_unless_they_are_dropped(mechdesign):
    wrong = Reports(honest("grr", 3).reports.parameters, {"item": np.array([3, 200, 255], dtype=np.uint8)})
    broken("grr", 300, wrong)
    refused = mechdesign("aggregate", "broken.parquet")
    assert (refused.code, refused.out) == (2, "")
    assert "reports must have item in 0..2, got 3 in row 301 of broken.parquet" in refused.err
    seen = mechdesign("aggregate", "broken.parquet", "--drop-invalid", "--json")
    assert seen.code == 0
    assert seen.err == "3 reports were left out, which no client can have made\n"
    document = json.loads(seen.out)
    assert (document["users"], document["dropped"]) == (300, 3)
    honest_estimate = aggregate(PrivateReports.of(honest("grr", 3).header, reports_of("broken.parquet")[:300]))
    assert [row["estimate"] for row in document["items"]] == honest_estimate.estimates.tolist()


def reports_of(path):
    return joined(list(as_batches(path)[0].pieces()))


def test_the_state_says_what_was_dropped_and_adds_it_up(mechdesign):
    wrong = forged("oue", 2, bits=np.array([8], dtype=np.uint8))
    saved("one.parquet", "oue", honest("oue", 30).reports, wrong)
    saved("two.parquet", "oue", wrong, honest("oue", 60).reports, wrong)
    for name in ("one", "two"):
        seen = mechdesign("aggregate", f"{name}.parquet", "--drop-invalid", "--state", f"{name}.state")
        assert seen.code == 0, seen.err
        assert "left out, which no client can have made" in seen.err
    both = [read_state(f"{name}.state") for name in ("one", "two")]
    assert [(state.users, state.provenance.dropped) for state in both] == [(30, 2), (60, 4)]
    seen = mechdesign("aggregate", "one.state", "two.state", "--json")
    assert "6 reports were left out" in seen.err
    assert (json.loads(seen.out)["users"], json.loads(seen.out)["dropped"]) == (90, 6)
    together = collect(["one.parquet", "two.parquet"], drop_invalid=True)
    assert together == both[0].merge(both[1])


def test_dropping_is_the_same_in_memory_and_by_two_processes(mechdesign):
    wrong = forged("oue", 5, bits=np.array([255], dtype=np.uint8))
    saved("one.parquet", "oue", honest("oue", 30).reports, wrong)
    saved("two.parquet", "oue", wrong, honest("oue", 60).reports)
    batches = as_batches(["one.parquet", "two.parquet"])
    state = CollectionState.empty(batches[0].header.task)
    for batch in batches:
        state = state.add(batch, drop_invalid=True)
    assert state == collect(["one.parquet", "two.parquet"], drop_invalid=True, jobs=2)
    assert state.provenance.dropped == 10


def test_a_file_of_nothing_valid_has_no_estimate(mechdesign):
    saved("none.parquet", "oue", forged("oue", 4, bits=np.array([8], dtype=np.uint8)))
    seen = mechdesign("aggregate", "none.parquet", "--drop-invalid")
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)


def test_sums_have_no_reports_to_drop(mechdesign):
    seen = mechdesign("aggregate", "--sums", "s.csv", "--users", 3, "--task", "t.json", "--drop-invalid")
    assert (seen.code, seen.out) == (2, "")
    assert "--drop-invalid goes with reports, got it with --sums" in seen.err


def test_what_several_pieces_drop_adds_up():
    oracle = make_oracle("grr", 3, Privacy(epsilon=1))
    pieces = [Reports(oracle.parameters, {"item": np.array(items, dtype=np.uint8)}) for items in ([0, 9], [9, 9, 1])]
    found = sum_up(oracle, pieces, "reports", drop_invalid=True)
    assert found.sums is not None
    assert (found.sums.users, found.dropped) == (2, 3)
    with pytest.raises(InputError, match="got 9 in row 2 of reports"):
        sum_up(oracle, pieces, "reports")
