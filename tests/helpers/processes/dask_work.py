"""Work for a cluster: slow, greedy, or of a process that tells its number."""

import os
import time


def process_after_a_while(_: int) -> int:
    """Sleeps, and returns the number of its process."""
    time.sleep(0.1)
    return os.getpid()


def hogs_at_three(number: int) -> int:
    """At 3, takes memory until it is killed."""
    kept = []
    while number == 3:
        kept.append(bytearray(os.urandom(1 << 10) * (16 << 10)))
        time.sleep(0.01)
    return number


def echo(value: object) -> object:
    return value
