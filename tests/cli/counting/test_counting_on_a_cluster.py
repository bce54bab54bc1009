"""Counting on a real Dask cluster of two worker processes, also when one is killed; and Ctrl-C in the middle."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from dask_processes import dask_processes
from studios import PATIENCE, wait_until
from wording import check_wording, refused

from mechdesign import InputError
from mechdesign.workers import dask_opening
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.servers import collecting
from mechdesign_catalog.collection.servers.collecting import collect

pytestmark = pytest.mark.slow
CITIES = ("Cork", "Galway", "Derry")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with dask_processes(tmp_path_factory.mktemp("dask")) as processes:
        yield processes


@pytest.fixture
def days(monkeypatch, tmp_path):
    """Twelve files in the working folder, which is not that of the workers; each is a unit of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(collecting, "UNIT_BYTES", 1)
    names = [f"{day}.parquet" for day in range(12)]
    for name in names:
        privatize(["Cork"] * 7, "grr", epsilon=1, domain=CITIES).save(name)
    return names


def test_a_cluster_counts_the_same(mechdesign, cluster, days):
    for options, name in ((("--cluster", cluster.address), "cluster.state"), (("--jobs", 1), "one.state")):
        seen = mechdesign("local", "aggregate", *days, *options, "--state", name)
        assert (seen.code, seen.err) == (0, f"wrote {name}\n")
    assert Path("cluster.state").read_bytes() == Path("one.state").read_bytes()


def test_a_killed_worker_costs_nothing(cluster, days):
    killed = []

    def kill_one(share):
        if not killed and len(cluster.worker_processes()) == 2:
            killed.append(cluster.worker_processes()[0])
            os.kill(killed[0], signal.SIGKILL)

    assert collect(days, cluster=cluster.address, report=kill_one) == collect(days)
    assert killed


def test_bad_files_are_one_line(mechdesign, cluster, days):
    content = Path(days[5]).read_bytes()
    Path(days[5]).write_bytes(content[:-20])
    seen = mechdesign("local", "aggregate", *days, "--cluster", cluster.address, "--state", "c.state")
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)
    assert not Path("c.state").exists()


def test_a_cluster_that_is_not_there_is_one_line(mechdesign, days, monkeypatch):
    monkeypatch.setattr(dask_opening, "CONNECT_SECONDS", 1)
    seen = mechdesign("local", "aggregate", *days, "--cluster", "tcp://127.0.0.1:9", "--state", "c.state")
    assert (seen.code, seen.out, seen.err.count("\n")) == (1, "", 1)
    assert not Path("c.state").exists()


def test_executors_count_the_same(days):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as executor:
        assert collect(days, executor=executor) == collect(days)
        with refused(InputError, about="workers"):
            collect(days, executor=executor, cluster="local")


def test_ctrl_c_leaves_no_state_and_no_process(tmp_path, monkeypatch):
    """In the middle of a long count by two processes: exit code 130, one line, nothing written, nobody left."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        privatize(["Cork"] * 7, "grr", epsilon=1, domain=CITIES).save(f"{name}.parquet")
    (tmp_path / "slow.py").write_text(
        "import time\n"
        "from mechdesign_catalog.collection.servers import collecting, counting\n"
        "collecting.UNIT_BYTES = 1\n"
        "def count_slowly(unit):\n"
        "    open(f'{unit.first}.begun', 'w').close()\n"
        "    time.sleep(600)\n"
        "collecting.count_unit = count_slowly\n"
        "if __name__ == '__main__':\n"
        "    import mechdesign_cli.__main__\n"
    )
    command = [sys.executable, "-c", "import slow, runpy; runpy.run_module('mechdesign_cli', run_name='__main__')"]
    files = ["local", "aggregate", "a.parquet", "b.parquet", "--jobs", "2", "--state", "c.state"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    job = subprocess.Popen(
        [*command, *files], env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_until(lambda: Path("0.begun").exists() and Path("1.begun").exists())
    os.kill(job.pid, signal.SIGINT)
    assert job.communicate(timeout=PATIENCE)[1] == "mechdesign: interrupted\n"
    assert job.returncode == 130
    assert not Path("c.state").exists()
    wait_until(lambda: not _members(job.pid))


def _members(group):
    listed = subprocess.run(["ps", "-o", "pid=", "--sid", str(group)], capture_output=True, text=True, check=False)
    return listed.stdout.split()
