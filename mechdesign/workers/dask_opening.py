"""Dask clusters: a connection to one, or a new one of processes of this machine."""

import asyncio
import logging
import re
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from distributed import Client, LocalCluster
from distributed.comm.core import connect
from distributed.security import Security
from distributed.versions import VersionMismatchWarning

from mechdesign.errors import ClusterError, reason_of
from mechdesign.machine import memory_limit
from mechdesign.workers.dask_workers import DaskWorkers
from mechdesign.workers.processes import sheltered
from mechdesign.workers.versions import COMPARED, our_versions, require_versions

CONNECT_SECONDS = 10
WORKER_SECONDS = 10
LAST_SECONDS = 5
ALLOWED_FAILURES = 1
"""Workers of a local cluster that a task may kill before the scheduler gives it up: one is no proof."""


@contextmanager
def connected(address: str) -> Iterator[DaskWorkers]:
    """Connect to a scheduler, and compare the versions of its workers with ours.

    Raises:
        ClusterError: if nobody answers within 10 seconds, there is no worker, or one has other versions.
    """
    with _quiet():
        _require_scheduler(address)
        with _client(address) as client:
            _require_same_versions(client, address)
            yield DaskWorkers(client, address)


@contextmanager
def local_cluster(processes: int) -> Iterator[DaskWorkers]:
    """Make a cluster of processes of this machine, which share its memory evenly; none outlives the block.

    It is deaf to everybody else: other users of the machine could make it run what they like.

    Raises:
        ClusterError: if it cannot be made, as where its processes die as they start.
    """
    with _quiet():
        try:
            with sheltered():
                security = Security.temporary()
                cluster = LocalCluster(
                    n_workers=processes,
                    threads_per_worker=1,
                    memory_limit=memory_limit() // processes,
                    dashboard_address="127.0.0.1:0",  # None is every network of this machine
                    silence_logs=logging.CRITICAL,
                    security=security,
                    scheduler_kwargs={"allowed_failures": ALLOWED_FAILURES, "dashboard": False},
                )
        except (OSError, RuntimeError) as error:
            raise ClusterError(
                f"cluster could not be started: local ({reason_of(error)}); --jobs works without one"
            ) from None
        with cluster, _client(cluster.scheduler_address, security) as client:
            yield DaskWorkers(client, "local")


@contextmanager
def _client(address: str, security: Security | None = None) -> Iterator[Client]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VersionMismatchWarning)  # we compare ourselves
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False, security=security)
    except (OSError, TimeoutError):
        raise _no_scheduler(address) from None
    try:
        yield client
    finally:
        with suppress(OSError, TimeoutError):
            client.close(timeout=LAST_SECONDS)


def _require_scheduler(address: str) -> None:
    """Ask who is there, before a client is made: one that meets another kind of server waits for a long time."""
    try:
        with ThreadPoolExecutor(1) as thread:  # this one may have a loop of its own, as in a notebook
            thread.submit(asyncio.run, _asked(address)).result()
    except TypeError:  # that is how Dask says it
        raise ClusterError(f"cluster must be one for which Dask has credentials, got none for {address}") from None
    except Exception:  # whatever another kind of server makes of it
        raise _no_scheduler(address) from None


async def _asked(address: str) -> None:
    await asyncio.wait_for(_require_kind(address), CONNECT_SECONDS)


async def _require_kind(address: str) -> None:
    arguments = Security().get_connection_args("client")
    comm = await connect(address, timeout=CONNECT_SECONDS, **arguments)
    try:
        await comm.write({"op": "identity", "reply": True})
        answer = await comm.read()
    finally:
        comm.abort()
    if answer["type"] != "Scheduler":
        raise ValueError(answer["type"])


def _no_scheduler(address: str) -> ClusterError:
    return ClusterError(
        f"cluster must be a Dask scheduler that answers within {CONNECT_SECONDS} s, got none at {address}"
    )


def _require_same_versions(client: Client, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
        found: Any = client.get_versions(packages=list(COMPARED))
    except (OSError, TimeoutError):
        raise ClusterError(f"cluster must have a worker, got none for {WORKER_SECONDS} s at {address}") from None
    for place, theirs in sorted(found["workers"].items()):
        packages = theirs["packages"]
        python = re.match(r"\d+\.\d+\.\d+", packages["python"])
        named = {name: packages[name] or "none" for name in COMPARED}
        require_versions(named | {"python": python[0] if python else "none"}, our_versions(), place)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's own lines off the screen: what concerns the user is an error of ours."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in ("distributed", "tornado")]
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
