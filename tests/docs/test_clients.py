"""The clients to paste, of `docs/clients`: run against all vectors of their systems, where an interpreter is found."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import mechdesign_catalog as mc

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / "docs" / "clients"
RUNNERS = Path(__file__).parent / "clients"
SYSTEMS = ("grr", "ss", "oue", "calm", "blocks", "warped-blocks")
LANGUAGES = ("javascript", "r", "kotlin")
JSON_JAR = Path("/usr/share/java/com.android.json.jar")
"""The JSON of Android for a JVM, from Debian's libandroid-json-java."""

MOST_LINES = 100
LIMIT = 300


def program(name):
    """The path of a program; without it the test is skipped."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} is installed")
    return found


@pytest.fixture(scope="module")
def run(request, tmp_path_factory):
    """A function that gives jobs to a language's client, and returns the line for each."""
    folder, make = tmp_path_factory.mktemp("clients"), {"javascript": javascript, "r": r, "kotlin": kotlin}
    command = make[request.param](folder)

    def answered(jobs):
        path = folder / "jobs.json"
        path.write_text(json.dumps(jobs))
        ran = subprocess.run([*command, str(path)], capture_output=True, text=True, timeout=LIMIT, check=False)
        assert ran.returncode == 0, ran.stderr
        return [line.strip() for line in ran.stdout.splitlines()]

    return answered


def javascript(folder):
    return [program("node"), RUNNERS / "run.mjs", CLIENTS]


def r(folder):
    needed = ["-e", "for (name in c('jsonlite', 'openssl')) loadNamespace(name)"]
    script = program("Rscript")
    if subprocess.run([script, "--vanilla", *needed], capture_output=True, timeout=LIMIT, check=False).returncode:
        pytest.skip("R has no jsonlite or no openssl")
    return [script, "--vanilla", RUNNERS / "run.R", CLIENTS]


def kotlin(folder):
    compiler, java = program("kotlinc"), program("java")
    if not JSON_JAR.is_file():
        pytest.skip(f"no {JSON_JAR} is installed")
    made = folder / "clients.jar"
    sources = [*CLIENTS.glob("*.kt"), RUNNERS / "Run.kt"]
    ran = subprocess.run(
        [compiler, *sources, "-cp", JSON_JAR, "-include-runtime", "-d", made],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return [java, "-cp", os.pathsep.join(map(str, [made, JSON_JAR])), "RunKt"]


def vectors(system):
    return json.loads((ROOT / "tests" / "vectors" / f"{system}.json").read_text())["cases"]


in_each_language = pytest.mark.parametrize("run", LANGUAGES, indirect=True)


@pytest.mark.slow
@in_each_language
def test_messages_are_those_of_all_vectors(run):
    cases = [(case["task"], one) for system in SYSTEMS for case in vectors(system) for one in case["reports"]]
    jobs = [{"task": task, "value": one["value"], "random": one["random"]} for task, one in cases]
    assert run(jobs) == [f"{one['message']} {len(one['random']) // 2}" for _, one in cases]


@pytest.mark.slow
@in_each_language
def test_bad_items_and_other_systems_are_refused(run):
    grr, calm, hrr = (vectors(system)[0]["task"] for system in ("grr", "calm", "hrr"))
    jobs = [(grr, 4), (grr, -1), (calm, [0, 0, 0]), (calm, [0, 3, 0, 0]), (hrr, 0)]
    lines = run([{"task": task, "value": value, "random": "00" * 40} for task, value in jobs])
    assert [line.split()[0] for line in lines] == ["refused"] * len(jobs)
    assert "hrr" in lines[-1] or "oracle" in lines[-1]


@pytest.mark.slow
@in_each_language
def test_messages_of_the_systems_randomness_are_received(run, tmp_path):
    """All are well-formed, and the estimate is near the truth: 60 users at epsilon 8."""
    task = mc.make_task("ss", epsilon=8, domain=["a", "b", "c", "d"])
    mc.save_task(task, tmp_path / "task.json")
    stated = json.loads((tmp_path / "task.json").read_text())
    lines = run([{"task": stated, "value": 2, "random": None}] * 60)
    (tmp_path / "messages.txt").write_text("".join(f"{line.split()[0]}\n" for line in lines))
    mc.receive_messages(tmp_path / "messages.txt", task, tmp_path / "reports.parquet")
    assert mc.aggregate(tmp_path / "reports.parquet").shares[2] > 0.9


def test_clients_are_short():
    assert all(len(path.read_text().splitlines()) <= MOST_LINES for path in CLIENTS.iterdir())
