"""Many files, large files, processes: the same state, and nobody counted twice."""

import os
import shutil
from dataclasses import replace

import numpy as np
import pytest
from wording import refused, warned

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workers.choosing import IN_PROCESS
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.reports.batches import PrivateReports, ReportFile
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.servers import collecting
from mechdesign_catalog.collection.servers.collecting import collect, collect_inputs
from mechdesign_catalog.collection.servers.inputs import as_inputs
from mechdesign_catalog.collection.states.state_files import write_state
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.systems.registry import make_oracle

CITIES = ("Cork", "Galway", "Derry")
ORACLE = make_oracle("grr", 1000, Privacy(epsilon=2))
ROWS = 600_000
"""Three groups of rows."""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A file of three groups of rows, and the sums of its reports."""
    path = tmp_path_factory.mktemp("large") / "large.parquet"
    reports = ORACLE.privatize(np.arange(ROWS) % 1000, seeded_words(5))
    PrivateReports.of(Header(Task(ORACLE.parameters)), reports).save(path)
    return path, ORACLE.aggregate(reports)


@pytest.fixture
def small_units(monkeypatch):
    monkeypatch.setattr(collecting, "UNIT_BYTES", 1)


@pytest.fixture
def days(tmp_path):
    """Thirty small files."""
    paths = [tmp_path / f"{day}.parquet" for day in range(30)]
    for path in paths:
        privatize(["Cork"] * 7, "grr", epsilon=1, domain=CITIES).save(path)
    return paths


def units_of(paths):
    inputs = as_inputs(paths)
    return list(collecting._units(inputs.batches, inputs.task, inputs.first))


def test_a_large_file_is_cut_between_groups_of_rows(large, small_units):
    path, sums = large
    assert [unit.groups for unit in units_of([path])] == [(0, 1), (1, 2), (2, 3)]
    state = collect(path)
    assert (state.users, state.sums.sums.tolist()) == (ROWS, sums.sums.tolist())
    assert state.provenance.sources == {ReportFile.at(path).header.identity}


@pytest.mark.slow
def test_processes_share_a_file(large, small_units):
    assert collect(large[0], jobs=2) == collect(large[0])


def test_units_have_every_file_once(days, large, monkeypatch):
    path, _ = large
    mixed = [*days[:5], path, *days[5:]]
    for unit_bytes, files in ((1, 500), (20_000, 500), (10**9, 500), (10**9, 7)):
        monkeypatch.setattr(collecting, "UNIT_BYTES", unit_bytes)
        monkeypatch.setattr(collecting, "MOST_IN_UNIT", files)
        units = units_of(days)
        assert [batch.name for unit in units for batch in unit.batches] == list(map(str, days))
        assert all(unit.batches[0].name == str(days[unit.first]) for unit in units)
        assert max(len(unit.batches) for unit in units) <= files
        cut = [(unit.first, unit.groups) for unit in units_of(mixed) if unit.batches[0].name == str(path)]
        assert cut == ([(5, (0, 1)), (5, (1, 2)), (5, (2, 3))] if unit_bytes < 10**6 else cut)
        covered = [number for unit in units_of(mixed) for number in range(unit.first, unit.first + len(unit.batches))]
        assert sorted(set(covered)) == list(range(31))


def test_a_copy_is_found_in_another_unit(days, small_units, tmp_path):
    shutil.copy(days[3], tmp_path / "copy.parquet")
    with refused(InputError):
        collect([*days, tmp_path / "copy.parquet"])


def test_an_impossible_report_is_named_by_its_row(small_units, tmp_path):
    item = np.zeros(ROWS, dtype=np.uint16)
    item[ROWS - 1] = 1000
    reports = ORACLE.report_schema.reports(ORACLE.parameters, item)
    PrivateReports.of(Header(Task(ORACLE.parameters)), reports).save(tmp_path / "bad.parquet")
    with refused(InputError):
        collect(tmp_path / "bad.parquet")
    assert [unit.groups for unit in units_of([tmp_path / "bad.parquet"])] == [(0, 1), (1, 2), (2, 3)]


def test_a_file_that_changes_while_it_is_read_is_refused(large, small_units, tmp_path, monkeypatch):
    path = tmp_path / "r.parquet"
    shutil.copy(large[0], path)
    count = collecting.count_unit

    def replacing(unit):
        part = count(unit)
        reports = ORACLE.privatize(np.arange(ROWS) % 1000)
        PrivateReports.of(Header(Task(ORACLE.parameters)), reports).save(path)
        return part

    monkeypatch.setattr(collecting, "count_unit", replacing)
    with refused(InputError, about="file"):
        collect(path)


@pytest.mark.parametrize("groups", [2, 4])
def test_a_file_that_changes_after_it_was_cut_is_refused(large, small_units, tmp_path, groups):
    path, small = tmp_path / "r.parquet", tmp_path / "a.parquet"
    shutil.copy(large[0], path)
    for file, rows in ((small, 5), (tmp_path / "other", groups << 18)):
        reports = ORACLE.privatize(np.arange(rows) % 1000)
        PrivateReports.of(Header(Task(ORACLE.parameters)), reports).save(file.with_suffix(".parquet"))

    def replacing(share):
        if (tmp_path / "other.parquet").exists():
            (tmp_path / "other.parquet").replace(path)

    with refused(InputError, about="file"):
        collect([small, path], report=replacing)


def test_memory_files_and_states_go_together(days, tmp_path):
    batch = privatize(["Derry"] * 5, "grr", epsilon=1, domain=CITIES)
    write_state(tmp_path / "a.state", collect(days[:10]))
    state = collect([tmp_path / "a.state", *days[10:20], batch, collect(days[20:])])
    assert state == collect([*days, batch])
    assert state.users == 215


def test_what_a_state_has_counted_changes_nothing_and_is_said(days):
    some = collect(days[:3])
    with warned(UserWarning):
        assert collect([some, *days]) == collect(days)
    with warned(UserWarning):
        assert collect([some, days[2]]) == some


def test_states_in_memory_are_counted_once(days):
    some = collect(days[:3])
    with refused(InputError):
        collect([some, collect(days[2:5])])
    with refused(InputError, about="states"):
        collect([some, some])


def test_processes_begin_where_they_pay(days, monkeypatch):
    chosen = []
    monkeypatch.setattr(collecting, "workers_for", lambda jobs: chosen.append(jobs) or IN_PROCESS)
    collect_inputs(as_inputs(days))
    assert chosen == []
    monkeypatch.setattr(collecting, "WORTH_PROCESSES", 1)
    collect_inputs(as_inputs(days))
    assert chosen == [None]


def test_the_same_rows_under_another_identity_are_told(tmp_path):
    """By chance 400 answers are never the same; of one answer in two files nobody can tell."""
    first = privatize(["Derry"] * 400, "grr", epsilon=1, domain=CITIES)
    again = PrivateReports(replace(first.header, identity="a" * 32), first.reports)
    with warned(UserWarning):
        assert collect([first, again]).users == 800
    other = privatize(["Derry"] * 400, "grr", epsilon=1, domain=CITIES)
    assert collect([first, other]).users == 800
    few = [privatize(["Derry"], "grr", epsilon=1, domain=CITIES) for _ in range(40)]
    assert collect(few).users == 40


def test_pipes_are_refused_before_they_are_opened(days, tmp_path):
    for path in (tmp_path / "day.parquet", tmp_path / "day.state"):
        os.mkfifo(path)
        with refused(InputError, about="file"):
            collect([*days, path])
