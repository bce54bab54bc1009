"""Refuse options that do not go with a workload, or not without one."""

from collections.abc import Mapping

from mechdesign.errors import InputError


def refuse_with_workload(given: Mapping[str, tuple[object, object]]) -> None:
    """Refuse options of square designs beside a workload.

    Args:
        given: each option's value and what it is where nobody gives it.

    Raises:
        InputError: naming the first that was given.
    """
    for name, (value, default) in given.items():
        if value != default:
            raise InputError(f"--{name} goes with designs of a square matrix, got it with --workload; leave one out")


def refuse_without_workload(given: Mapping[str, object]) -> None:
    """Refuse options of workloads where there is none.

    Raises:
        InputError: naming the first that was given.
    """
    for name, value in given.items():
        if value is not None:
            raise InputError(f"--{name} goes with --workload, got it alone")
