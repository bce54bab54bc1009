"""Sweeps: the grid, the rows, the journal, and processes that die."""

import csv
import io
import json
import multiprocessing
import pickle
from dataclasses import asdict
from fractions import Fraction

import pyarrow.parquet as pq
import pytest
from cases import GOLDEN
from hypothesis import given
from hypothesis import strategies as st
from sweep_work import Stingy, accident_prone, die_at_once, must_not_work, slow_at_three, untimed
from wording import refused

from mechdesign import DesignProblem, InputError, Loss, Prior, Privacy, design, design_law, sweep
from mechdesign.errors import MachineError
from mechdesign.sweeps import (
    Journal,
    SweepGrid,
    Task,
    open_journal,
    run_sweep,
    solve_one,
    table_bytes,
    tasks_of,
    worker,
)
from mechdesign.sweeps.grid import MAX_DESIGNS
from mechdesign.sweeps.ranges import parse_numbers
from mechdesign.sweeps.run import finished_tasks
from mechdesign.sweeps.worker import COLUMNS, row_from
from mechdesign.workers import processes
from mechdesign.workers.choosing import workers_for
from mechdesign.workers.in_process import InProcess

GRID = SweepGrid.parse("2:6:2,5", alpha="1/2,0.9", properties="none;WH,CM;F", losses="L0,L1")
HEADER = (
    "model,n,k,radius,alpha,epsilon,properties,loss,aggregate,prior,score_exact,score,lower_bound_exact,lower_bound,status,"
    "holds,method,how,seconds_solve,seconds_certify,seconds_verify,seconds_total"
)


@pytest.fixture(scope="module")
def rows():
    return run_sweep(tasks_of(GRID))


# The grid.


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2:8:2,16", "2 4 6 8 16"),
        ("2:9:2", "2 4 6 8"),
        ("3:5", "3 4 5"),
        ("7:7:3", "7"),
        (" 4, 2,4 ", "4 2"),
        ("2:6:2,5:7", "2 4 6 5 7"),
        ("0.5:0.9:0.1", "1/2 3/5 7/10 4/5 9/10"),
        ("1/3,2/6,0.1", "1/3 1/10"),
    ],
)
def test_numbers(text, values):
    assert [str(value) for value in parse_numbers(text, "x")] == values.split()


@given(st.integers(-50, 50), st.integers(0, 50), st.integers(1, 9), st.integers(1, 12))
def test_ranges_are_exact_and_include_their_end(first, length, step, scale):
    found = parse_numbers(f"{first}/{scale}:{first + length}/{scale}:{step}/{scale}", "x")
    assert found == tuple(Fraction(k, scale) for k in range(first, first + length + 1, step))


def test_the_grid_is_every_combination_in_the_order_of_the_columns():
    problems = GRID.problems()
    assert len(problems) == len(GRID) == 4 * 2 * 3 * 2
    assert [problem.n for problem in problems[:: len(problems) // 4]] == [2, 4, 6, 5]
    assert [(p.alpha, p.properties, p.loss.name) for p in problems[:3]] == [
        (Fraction(1, 2), frozenset(), "L0"),
        (Fraction(1, 2), frozenset(), "L1"),
        (Fraction(1, 2), frozenset({"WH", "CM"}), "L0"),
    ]
    assert len({task.key for task in tasks_of(GRID)}) == len(GRID)


def test_epsilons_become_alphas_that_are_at_least_as_private():
    (problem,) = SweepGrid.parse("2", epsilon="0.5").problems()
    assert problem == DesignProblem(2, epsilon="0.5")


@pytest.mark.parametrize(
    "options",
    [
        {"sizes": "2,,4"},
        {"sizes": "2:4:0"},
        {"sizes": "8:2:2"},
        {"sizes": "1:2:3:4"},
        {"sizes": "2.5"},
        {"sizes": "0:4:2"},
        {"sizes": "4000:4300:150", "prior": "binomial:1/2"},
        {"sizes": "5000", "losses": "L3"},
        {"sizes": "10000000000"},
        {"sizes": "1:1e300:1"},
        {"sizes": "1:101", "alpha": "0.01:0.99:0.01", "losses": "L0,L1"},
        {"alpha": "0.5,1.7"},
        {"alpha": None},
        {"epsilon": "1"},
        {"properties": "none;;WH"},
        {"properties": "WH;XX"},
        {"losses": "L0,"},
        {"losses": []},
        {"prior": Prior.from_weights(["1/2", "1/4", "1/4"])},
        {"losses": [Loss.from_matrix([[0, k], [k, 0]]) for k in (1, 2)]},
    ],
)
def test_bad_grids(options):
    with refused(InputError):
        SweepGrid.parse(**({"sizes": "2,4", "alpha": "0.9"} | options)).problems()


def test_a_value_is_named_once():
    with refused(InputError, about="sizes"):
        SweepGrid((2, 2), (Privacy(alpha="1/2"),))


def test_the_largest_sweep_is_allowed():
    assert len(SweepGrid.parse("1:100", alpha=f"1/1000:{MAX_DESIGNS // 100}/1000:1/1000")) == MAX_DESIGNS


# The rows.


def test_a_row_says_what_the_design_says(rows):
    for task, row in zip(tasks_of(GRID), rows, strict=True):
        found = design(task.problem)
        assert (row.n, Fraction(row.alpha), row.loss) == (found.problem.n, found.problem.alpha, found.problem.loss.name)
        assert frozenset(row.properties.split()) - {"none"} == found.problem.properties
        assert (Fraction(row.score_exact), Fraction(row.lower_bound_exact)) == (found.score, found.lower_bound)
        assert (row.score, row.lower_bound) == (float(found.score), float(found.lower_bound))
        assert (row.status, tuple(row.holds.split()), row.how) == (found.status, found.holds, found.how)
        assert (row.model, row.aggregate, row.prior) == ("count", "expected", "uniform")
        assert 0 <= row.epsilon - found.problem.epsilon <= 1e-15
        assert 0 <= row.seconds_verify <= row.seconds_total


def test_rows_asked_by_epsilon_tell_the_epsilon_that_was_asked():
    grid = SweepGrid.parse(sizes="3", epsilon="1,0.1", properties="none", losses="L0")
    assert [solve_one(task).epsilon for task in tasks_of(grid)] == [1.0, 0.1]


@pytest.mark.parametrize(("n", "alpha", "properties", "loss", "score"), GOLDEN)
def test_golden_scores(n, alpha, properties, loss, score):
    task = Task(DesignProblem(n, alpha, properties=properties, loss=loss))
    row = solve_one(pickle.loads(pickle.dumps(task)))
    assert Fraction(row.score_exact) == score
    assert not row.failed


@pytest.mark.slow
def test_several_processes_find_the_same(rows):
    counts = []
    found = run_sweep(tasks_of(GRID), workers=workers_for(2), report=counts.append)
    assert [untimed(row) for row in found] == [untimed(row) for row in rows]
    assert counts == sorted(counts)
    assert counts[-1] == len(rows)


def test_the_key_names_everything_but_the_time_limit(monkeypatch):
    base = {"properties": "WH", "loss": "L0", "prior": "uniform"}
    losses = [Loss.from_matrix([[0, k, k], [k, 0, k], [k, k, 0]]) for k in (1, 2)]
    tasks = [
        Task(DesignProblem(2, "0.9", **base)),
        Task(DesignProblem(2, "0.9", **base), solver="cvxpy:CLARABEL"),
        Task(DesignProblem(2, "0.9", **base), exact=True),
        Task(DesignProblem(3, "0.9", **base)),
        Task(DesignProblem(2, "0.8", **base)),
        Task(DesignProblem(2, "0.9", **base | {"properties": "CM"})),
        *(Task(DesignProblem(2, "0.9", **base | {"loss": loss})) for loss in ("L1", "L0:1", *losses)),
        Task(DesignProblem(2, "0.9", **base | {"prior": "binomial:1/3"})),
        Task(DesignProblem(2, "0.9", **base | {"prior": Prior.from_weights(["1/2", "1/4", "1/4"])})),
    ]
    keys = {task.key for task in tasks}
    assert len(keys) == len(tasks)
    assert Task(DesignProblem(2, "9/10", **base), time_limit=3.0).key == tasks[0].key
    monkeypatch.setattr(worker, "__version__", "another")
    assert Task(DesignProblem(2, "0.9", **base)).key not in keys


# Failures.


def test_a_time_limit_makes_a_failed_row():
    row = solve_one(Task(DesignProblem(40, "0.9", properties="CM"), time_limit=1e-6))
    assert row.failed
    assert row.status.startswith("failed: ")
    assert "time limit" in row.status
    assert (row.score_exact, row.score, row.lower_bound, row.holds, row.how, row.seconds_solve) == (None,) * 6
    assert (row.n, row.properties) == (40, "CM")
    assert row.seconds_total > 0


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_accident_costs_one_row_and_is_tried_again(tmp_path, jobs):
    tasks = tasks_of(SweepGrid.parse("2,3,4,5" if jobs > 1 else "2,4,5", alpha="1/2"))
    with open_journal(tmp_path / "j") as journal:
        found = {
            row.n: row for row in run_sweep(tasks, workers=workers_for(jobs), journal=journal, work=accident_prone)
        }
        assert found[4].status == "failed: unexpected ZeroDivisionError: somebody's mistake"
        assert [found[n].score_exact for n in (2, 5)] == ["2/3", "2/3"]
        if jobs > 1:
            assert found[3].status == "failed: its process died (out of memory?)"
        assert {row.n for row in journal.rows_for(tasks).values()} == {2, 5}
        assert journal.discard(tasks)
        assert not any(row.failed for row in run_sweep(tasks, journal=journal))
        assert not journal.discard(tasks)


@pytest.mark.slow
def test_processes_that_cannot_start_end_the_sweep(monkeypatch):
    monkeypatch.setattr(processes, "_settle_in", die_at_once)
    with refused(MachineError):
        run_sweep(tasks_of(GRID), workers=workers_for(2))


def test_bad_runs():
    with refused(InputError, about="jobs"):
        sweep(2, "1/2", jobs=0)
    with refused(InputError, about="solver"):
        run_sweep(tasks_of(GRID, solver="cplex"))


@pytest.mark.slow
def test_processes_are_ended_at_once_when_the_sweep_is(tmp_path, monkeypatch):
    monkeypatch.setenv("SWEEP_MARK", str(tmp_path / "mark"))
    tasks = tasks_of(SweepGrid.parse("2,3", alpha="1/2"))
    with workers_for(2).open() as opened:
        coming = finished_tasks(tasks, opened, slow_at_three, lambda: None)
        assert next(coming).task.problem.n == 2
        coming.close()
        assert multiprocessing.active_children() == []
    assert not (tmp_path / "mark").exists()


def test_long_designs_come_first():
    tasks = tasks_of(SweepGrid.parse("2:4", alpha="1/2", properties="F;CM"))
    order = [outcome.task.problem for outcome in finished_tasks(tasks, InProcess(), solve_one, lambda: None)]
    assert [(p.n, *p.properties) for p in order] == [(n, name) for n in (4, 3, 2) for name in ("CM", "F")]


# The journal.


@pytest.fixture
def written(tmp_path, rows):
    """A journal of the first three rows, with its tasks."""
    tasks = tasks_of(GRID)[:3]
    with open_journal(tmp_path / "s.csv.journal") as journal:
        for task, row in zip(tasks, rows, strict=False):
            journal.append(task, row)
    return tmp_path / "s.csv.journal", tasks


def test_a_finished_row_is_not_designed_again(written, rows):
    path, tasks = written
    with open_journal(path) as journal:
        assert run_sweep(tasks, journal=journal, work=must_not_work) == rows[:3]


def test_a_journal_cut_anywhere_keeps_its_whole_lines(written, rows, tmp_path):
    path, tasks = written
    content = path.read_bytes()
    for length in {*range(0, len(content), 37), *range(25, 45), len(content) - 1}:
        torn = tmp_path / "torn"
        torn.write_bytes(content[:length])
        whole = max(0, content[:length].count(b"\n") - 1)
        with open_journal(torn) as journal:
            assert list(journal.rows_for(tasks).values()) == rows[:whole]
            journal.append(tasks[2], rows[2])
        with open_journal(torn) as journal:
            assert list(journal.rows_for(tasks).values()) == [*rows[: min(whole, 2)], rows[2]]


def test_a_file_that_takes_little_at_a_time(written, rows, tmp_path):
    tasks = written[1]
    with Stingy(tmp_path / "j", "a+b") as stream:
        journal = Journal(tmp_path / "j", stream)
        journal.load()
        journal.append(tasks[0], rows[0])
        journal.load()
        assert list(journal.rows_for(tasks).values()) == rows[:1]


def test_damaged_lines_are_designed_again(written, rows):
    path, tasks = written
    lines = path.read_bytes().split(b"\n")
    entry = json.loads(lines[2])
    for damage in (
        b"\0" * 40,
        b"[1, 2]",
        b"{" * 100_000,
        b"\xff\xfe",
        json.dumps(entry | {"row": entry["row"] | {"score": "0.5"}}).encode(),
        json.dumps(entry | {"row": entry["row"] | {"status": None}}).encode(),
        json.dumps(entry | {"row": {"n": 2}}).encode(),
        json.dumps(entry | {"key": 7}).encode(),
    ):
        path.write_bytes(b"\n".join([*lines[:2], damage, *lines[3:]]))
        with open_journal(path) as journal:
            assert list(journal.rows_for(tasks).values()) == [rows[0], rows[2]]


def test_rows_of_another_sweep_are_neither_used_nor_lost(written):
    path, tasks = written
    others = tasks_of(SweepGrid.parse("2", alpha="0.3"))
    with open_journal(path) as journal:
        assert journal.rows_for(others) == {}
        run_sweep(others, journal=journal)
        assert journal.discard(others)
    with open_journal(path) as journal:
        assert len(journal.rows_for(tasks)) == 3
        assert not journal.discard([*tasks, *others])
    assert not path.exists()


def test_failures_wait_for_another_time_limit(tmp_path):
    grid = SweepGrid.parse("40", alpha="0.9", properties="CM;none")
    hasty = tasks_of(grid, time_limit=1e-6)
    with open_journal(tmp_path / "j") as journal:
        first = run_sweep(hasty, journal=journal)
        assert journal.discard(hasty)
    assert first[0].failed
    with open_journal(tmp_path / "j") as journal:
        assert run_sweep(hasty, journal=journal, work=must_not_work) == first
        patient = tasks_of(grid, time_limit=600)
        assert patient[0].key not in journal.rows_for(patient)
        assert not run_sweep(patient, journal=journal)[0].failed
        assert not journal.discard(patient)


def test_other_files_are_no_journals(tmp_path):
    for content in (b"n,score\n1,2\n", b"x", b'{"format": "mechdesign-sweep/0"}\n'):
        (tmp_path / "j").write_bytes(content)
        with refused(InputError), open_journal(tmp_path / "j"):
            pass
        assert (tmp_path / "j").read_bytes() == content
    (tmp_path / "folder").mkdir()
    with refused(InputError, about="journal"), open_journal(tmp_path / "folder"):
        pass


def test_a_journal_belongs_to_one_sweep(written):
    path, tasks = written
    with open_journal(path), refused(InputError), open_journal(path):
        pass
    with open_journal(path) as journal:
        assert len(journal.rows_for(tasks)) == 3


def test_an_empty_journal_is_removed(tmp_path):
    with open_journal(tmp_path / "j"):
        assert (tmp_path / "j").exists()
    assert not (tmp_path / "j").exists()


# The table.


def test_csv(rows):
    failed = solve_one(Task(DesignProblem(40, "0.9", properties="CM"), time_limit=1e-6))
    text = table_bytes([*rows, failed], ".csv").decode()
    assert text.splitlines()[0] == HEADER
    assert ",".join(COLUMNS) == HEADER
    read = list(csv.DictReader(io.StringIO(text)))
    for row, cells in zip([*rows, failed], read, strict=True):
        kinds = worker.COLUMN_TYPES
        assert row_from({name: kinds[name](cell) if cell else None for name, cell in cells.items()}) == row


def test_parquet_says_the_same_as_csv(rows):
    failed = solve_one(Task(DesignProblem(40, "0.9", properties="CM"), time_limit=1e-6))
    table = pq.read_table(io.BytesIO(table_bytes([*rows, failed], ".parquet")))
    assert ",".join(table.column_names) == HEADER
    assert {str(table.schema.field(name).type) for name in ("score", "epsilon", "seconds_total")} == {"double"}
    assert str(table.schema.field("n").type) == "int64"
    assert [row_from(entry) for entry in table.to_pylist()] == [*rows, failed]


@pytest.mark.slow
def test_large_groups_are_designed_by_laws():
    grid = SweepGrid.parse("100,150,100000", alpha="4/5", properties="WH,CM;F", losses="L0")
    rows = run_sweep(tasks_of(grid))
    assert [row.method for row in rows] == ["split-and-cut", "closed-form", "layer", "fair law", "layer", "fair law"]
    assert [row.n for row in rows[::2]] == [100, 150, 100000]
    assert rows[0].score_exact == "34201/38400"
    assert [row.score_exact for row in rows[2::2]] == ["153803/172800", "34133401/38400000"]
    assert rows[5].score_exact is None
    assert not rows[5].failed
    assert {row.status for row in rows} == {"exact"}
    assert [row_from(asdict(row)) for row in rows] == rows


def test_a_score_with_powers_of_alpha_is_rounded_up():
    (row,) = run_sweep(tasks_of(SweepGrid.parse("5000", alpha="4/5", losses="L1")))
    law = design_law(alpha="4/5", loss="L1")
    assert (row.score_exact, row.status) == (None, "certified")
    assert law.score(5000)[1] <= Fraction(repr(row.score)) < law.score(5000)[1] * (1 + Fraction(1, 10**14))


def test_where_a_large_group_has_no_law_its_row_says_so():
    (row,) = run_sweep(tasks_of(SweepGrid.parse("5000", alpha="0.999", properties="CM")))
    assert row.failed
    assert row.status.startswith("failed: a law for alpha = 0.999, CM, loss L0 is expected to need about 3,797 rows")
    assert not row.is_accident


def test_what_asks_for_a_matrix_gets_one():
    grid = SweepGrid.parse("130", alpha="1/2", properties="CM")
    assert [run_sweep(tasks_of(grid, exact=exact))[0].method for exact in (False, True)] == ["layer", "closed-form"]
