"""A real Dask cluster of two worker processes: whoever is killed, every outcome comes once."""

import os
import signal
import socket

import pytest
from dask_processes import dask_processes
from dask_work import echo, hogs_at_three, process_after_a_while
from studios import PATIENCE, wait_until
from sweep_work import dies_at_three, refuses_three, squared
from wording import refused

from mechdesign import ClusterError, DesignProblem, InputError, landscape
from mechdesign.workers import dask_opening, dask_workers
from mechdesign.workers.choosing import workers_for
from mechdesign.workers.dask_workers import do_task
from mechdesign.workers.versions import OtherVersionsError, our_versions
from mechdesign.workers.work_through import work_through

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with dask_processes(tmp_path_factory.mktemp("dask")) as processes:
        yield processes


@pytest.fixture(scope="module")
def workers(cluster):
    with workers_for(cluster=cluster.address).open() as opened:
        yield opened


def outcomes(work, arguments, workers):
    """Every outcome by its place, each of which must come once."""
    found = list(work_through(work, arguments, workers))
    assert sorted(outcome.place for outcome in found) == list(range(len(arguments)))
    return {outcome.place: outcome for outcome in sorted(found, key=lambda outcome: outcome.place)}


def test_every_outcome_once_and_what_looks_like_dasks_own_is_left_alone(workers):
    wait_until(lambda: _places(workers) == 2)
    found = outcomes(squared, range(30), workers)
    assert [found[k].result() for k in range(30)] == [k * k for k in range(30)]
    odd = [(squared, 3), "squared", {"a": (squared, 2)}, [(len, [1])], None]
    found = outcomes(echo, odd, workers)
    assert [found[k].result() for k in range(len(odd))] == odd


def test_an_error_of_the_work_is_an_outcome(workers):
    found = outcomes(refuses_three, range(5), workers)
    assert isinstance(found[3].error, InputError)
    assert [k for k, outcome in found.items() if outcome.error is None] == [0, 1, 2, 4]


def test_a_worker_killed_by_somebody_costs_nothing(workers):
    seen, killed = [], None
    for outcome in work_through(process_after_a_while, range(24), workers):
        seen.append(outcome.place)
        if killed is None:
            killed = outcome.result()
            os.kill(killed, signal.SIGKILL)
        assert outcome.error is None
    assert sorted(seen) == list(range(24))


@pytest.mark.parametrize("work", [dies_at_three, hogs_at_three], ids=["kills its worker", "takes all memory"])
def test_who_kills_workers_is_the_only_one_that_failed(workers, work):
    found = outcomes(work, range(8), workers)
    assert [k for k, outcome in found.items() if outcome.died] == [3]
    assert [found[k].result() for k in range(8) if k != 3] == [0, 1, 2, 4, 5, 6, 7]


def test_a_run_that_is_given_up_leaves_the_cluster_to_the_next(workers):
    coming = work_through(process_after_a_while, range(1000), workers)
    next(coming)
    coming.close()
    assert outcomes(squared, range(3), workers)[2].result() == 4


def test_a_landscape_is_the_same_on_a_cluster(cluster):
    problem = DesignProblem(6, "9/10", loss="L1")
    alone, together = landscape(problem), landscape(problem, cluster=cluster.address)
    assert (together.classes, together.solved) == (alone.classes, alone.solved)


def test_another_version_is_refused_before_and_after_the_work_has_begun(tmp_path):
    other = tmp_path / "packages" / "numpy-9.9.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 9.9\n")
    with dask_processes(tmp_path, workers=1) as processes:
        choice = workers_for(cluster=processes.address)
        with choice.open() as workers:
            processes.add_worker(1, other.parent)
            wait_until(lambda: _places(workers) == 2)
            with refused(OtherVersionsError, about="workers"):
                outcomes(process_after_a_while, range(40), workers)
        with (
            refused(ClusterError, about="workers"),
            choice.open(),
        ):
            pass


def _places(workers):
    workers._look()
    return workers.places


def test_a_worker_without_a_package_has_another_version():
    assert our_versions()["mechdesign"] != "none"
    with refused(OtherVersionsError, about="workers"):
        do_task(b"never read", {**our_versions(), "flint": "3"})


def test_another_server_and_one_without_credentials(monkeypatch):
    monkeypatch.setattr(dask_opening, "CONNECT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        silent, sealed = (workers_for(cluster=f"{protocol}://127.0.0.1:{port}") for protocol in ("tcp", "tls"))
        with refused(ClusterError):
            silent.open().__enter__()
        with refused(ClusterError):
            sealed.open().__enter__()


def test_a_scheduler_that_dies_while_a_value_is_on_its_way(tmp_path, monkeypatch):
    with dask_processes(tmp_path, workers=1) as processes, workers_for(cluster=processes.address).open() as workers:

        def dies_after_the_error_was_read(future, **_):
            processes.kill_scheduler()
            wait_until(lambda: future.status == "cancelled")

        monkeypatch.setattr(dask_workers.Future, "exception", dies_after_the_error_was_read)
        with refused(ClusterError):
            outcomes(squared, range(3), workers)


def test_nobody_there_and_nobody_at_work(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_opening, "CONNECT_SECONDS", 1)
    absent = workers_for(cluster="tcp://127.0.0.1:1")
    with refused(ClusterError), absent.open():
        pass
    with dask_processes(tmp_path, workers=0) as processes:
        choice = workers_for(cluster=processes.address)
        monkeypatch.setattr(dask_opening, "WORKER_SECONDS", 1)
        with refused(ClusterError, about="cluster"), choice.open():
            pass
        monkeypatch.setattr(dask_opening, "WORKER_SECONDS", PATIENCE)
        monkeypatch.setattr(dask_workers, "LONELY_SECONDS", 0.5)
        monkeypatch.setattr(dask_workers, "LOOK_SECONDS", 0.2)
        processes.add_worker(1)
        with choice.open() as workers:
            os.killpg(processes.workers[0].pid, signal.SIGKILL)
            with refused(ClusterError, about="cluster"):
                outcomes(squared, range(3), workers)
