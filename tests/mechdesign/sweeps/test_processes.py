"""Work in processes: every result once, errors of the work as they are, and a dead process told."""

import multiprocessing
import os
import signal
import threading
import time

import pytest
from sweep_work import dies_at_three, refuses_three, squared

from mechdesign import InputError
from mechdesign.errors import MachineError
from mechdesign.machine import require_jobs, usable_cpus
from mechdesign.sweeps.processes import in_processes, sheltered


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_every_result_once(jobs):
    assert sorted(in_processes(squared, range(6), jobs)) == [(k, k * k) for k in range(6)]
    assert not list(in_processes(squared, [], jobs))


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_the_work_is_raised_and_nobody_is_left(jobs):
    with pytest.raises(InputError, match="number must not be 3"):
        list(in_processes(refuses_three, range(6), jobs))
    assert not multiprocessing.active_children()


@pytest.mark.slow
def test_a_dead_process_is_told():
    with pytest.raises(MachineError, match="a worker process died"):
        list(in_processes(dies_at_three, range(6), 2))


def _interrupted_in_shelter(done):
    with sheltered():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        done.append("all of it")


def test_an_interrupt_waits_for_the_end_of_the_shelter():
    """Also one that another thread receives, which the mask of this thread does not hold off."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background ignores it
    done, leave = [], threading.Event()
    other = threading.Thread(target=leave.wait)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            _interrupted_in_shelter(done)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        leave.set()
        other.join()
        signal.signal(signal.SIGINT, before)
    assert done == ["all of it"]


def test_jobs():
    assert require_jobs(None) == usable_cpus() >= 1
    assert require_jobs(3) == 3
    with pytest.raises(InputError, match="jobs must be at least 1, got jobs=0"):
        require_jobs(0)
