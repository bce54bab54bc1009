"""Processes of our own: how many, and the shelter in which they are started."""

import os
import signal
import threading
import time

import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.machine import require_jobs, usable_cpus
from mechdesign.workers.processes import sheltered


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
    with refused(InputError, about="jobs"):
        require_jobs(0)
    with refused(InputError, about="jobs"):
        require_jobs(1 << 31)
