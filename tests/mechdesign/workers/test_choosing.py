"""Who works: what is asked for is checked before anything is begun."""

import os
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from threading import Event

import pytest
from sweep_work import die_designing, refuses_three, squared
from wording import refused

from mechdesign import InputError, sweep
from mechdesign.errors import MachineError
from mechdesign.machine import usable_cpus
from mechdesign.workers import choosing
from mechdesign.workers.choosing import IN_PROCESS, WorkerChoice, workers_for
from mechdesign.workers.in_process import InProcess
from mechdesign.workers.process_pool import ProcessPool
from mechdesign.workers.work_through import work_through


@pytest.mark.parametrize(
    "asked",
    [
        {"jobs": 0},
        {"cluster": "cluster.example"},
        {"cluster": "http://host:80"},
        {"cluster": "tcp://host:123456"},
        {"cluster": ""},
        {"cluster": "tcp://h:1", "jobs": 2},
        {"executor": 7},
        {"executor": Executor(), "jobs": 2},
        {"executor": Executor(), "cluster": "local"},
    ],
    ids=["no jobs", "no port", "other protocol", "long port", "nothing", "jobs", "no executor", "executor", "both"],
)
def test_bad_choices(asked):
    with refused(InputError):
        workers_for(**asked)


@pytest.mark.parametrize("address", ["tcp://10.0.0.1:8786", "host.example:80", "tls://[::1]:8786", "ws://h:1"])
def test_addresses(address):
    assert workers_for(cluster=address).cluster == address


def test_choices():
    assert workers_for(1) == WorkerChoice(1) == IN_PROCESS
    assert workers_for().jobs == usable_cpus()
    assert workers_for(1, cluster="local").jobs == 2
    assert workers_for(3, cluster="local") == WorkerChoice(3, "local")
    assert WorkerChoice(3, "local").here == WorkerChoice(3)


def test_one_task_needs_no_process():
    with workers_for(2).open(1) as alone, workers_for(1).open(9) as one, workers_for(2).open(2) as two:
        assert isinstance(alone, InProcess)
        assert isinstance(one, InProcess)
        assert isinstance(two, ProcessPool)
        assert two.places == 2


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(choosing, "find_spec", lambda name: None)
    with refused(InputError, about="cluster"):
        workers_for(cluster="local")


class Counted(ThreadPoolExecutor):
    """An executor that knows how often it was asked, and cannot be shut down by who was given it."""

    asked = 0

    def submit(self, *arguments, **options) -> Future:
        self.asked += 1
        return super().submit(*arguments, **options)


def test_an_executor_is_used_and_left_open():
    with Counted(2) as executor, workers_for(executor=executor).open() as workers:
        found = {outcome.place: outcome for outcome in work_through(refuses_three, range(5), workers)}
        assert executor.asked == 5
        assert isinstance(found[3].error, InputError)
        assert [found[k].result() for k in (0, 1, 2, 4)] == [0, 1, 2, 4]
        assert executor.submit(squared, 4).result() == 16


def test_what_has_not_begun_in_an_executor_is_cancelled():
    begun, gate = [], Event()

    def all_but_the_first_wait(number):
        begun.append(number)
        return number == 0 or gate.wait()

    with Counted(1) as executor, workers_for(executor=executor).open() as workers:
        coming = work_through(all_but_the_first_wait, range(10_000), workers)
        next(coming)
        coming.close()
        gate.set()
    assert executor.asked == 1000
    assert len(begun) <= 2  # the second while the others were being cancelled, perhaps


@pytest.mark.parametrize("broken", ["shut down", "cancelled"])
def test_an_executor_that_takes_nothing_any_more_ends_the_work(broken):
    executor = ThreadPoolExecutor(1)
    with executor, workers_for(executor=executor).open() as workers:
        if broken == "shut down":
            executor.shutdown()
        else:
            executor.submit = lambda work, argument: _cancelled()
        with refused(MachineError, about="executor"):
            list(work_through(squared, range(3), workers))


def _cancelled():
    future = Future()
    future.cancel()
    future.set_running_or_notify_cancel()
    return future


@pytest.mark.slow
def test_an_executor_that_breaks_leaves_the_journal(tmp_path):
    """Its process dies; what was finished stays, and the same call with other workers goes on."""
    asked = {"n": "40:47", "alpha": "1/2", "properties": "CM", "output": tmp_path / "s.csv"}
    journal, gate = tmp_path / "s.csv.journal", tmp_path / "gate"

    def open_after_three(finished):
        if finished == 3:
            gate.touch()

    with ProcessPoolExecutor(1, get_context("spawn"), die_designing, (43, gate)) as executor, refused(MachineError):
        sweep(**asked, executor=executor, report=open_after_three)
    gate.unlink()
    assert os.listdir(tmp_path) == [journal.name]
    kept = journal.read_bytes().count(b'"key"')
    assert 3 <= kept <= 4
    told = []
    rows = sweep(**asked, report=told.append)
    assert [row.n for row in rows] == list(range(40, 48))
    assert sorted(set(told)) == list(range(kept + 1, 9))
    assert not journal.exists()
