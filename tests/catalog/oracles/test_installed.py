"""Oracles of other installed packages are found by their exact name, and never instead of one of this package."""

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from mechdesign import InputError, Privacy
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.oracles import make_oracle, oracle_of, parse_oracle
from mechdesign_catalog.oracles.installed import installed_names
from mechdesign_catalog.reference.messages import reference_message
from mechdesign_catalog.testing import check_oracle

EXAMPLE = Path(__file__).parents[1] / "example_oracle"


def wheel_of(source, folder):
    """Make the wheel that a build of the example would: its module, metadata and entry points."""
    project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    points = project["entry-points"]["mechdesign.oracles"]
    info = f"{name}-{version}.dist-info"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}.py", (source / f"{name}.py").read_text())
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        lines = [f"{key} = {value}" for key, value in points.items()]
        wheel.writestr(f"{info}/entry_points.txt", "\n".join(["[mechdesign.oracles]", *lines, ""]))
        wheel.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The folder that the example package is installed into, without a network and without what builds packages."""
    folder = tmp_path_factory.mktemp("packages")
    wheel = wheel_of(EXAMPLE, tmp_path_factory.mktemp("wheel"))
    command = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(folder), str(wheel)]
    subprocess.run([sys.executable, *command], check=True, capture_output=True)
    return folder


@pytest.fixture
def installed(packages, monkeypatch):
    monkeypatch.syspath_prepend(str(packages))
    yield packages
    sys.modules.pop("example_oracle", None)


def offer(folder, text, name="other"):
    """Write what an installed package leaves behind: its metadata and its entry points."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[mechdesign.oracles]\n{text}\n")


def test_an_installed_oracle_is_found_by_its_name(installed):
    oracle = make_oracle("keep", 5, Privacy(epsilon=1))
    assert oracle.parameters == {"oracle": "keep", "k": 5, "privacy": "epsilon=1"}
    assert oracle_of(oracle.parameters) == oracle
    check_oracle(oracle)
    with pytest.raises(InputError, match=r"oracle must be one that REPORTS.md describes, got keep"):
        reference_message(Task(oracle.parameters), 3)


def test_collections_work_with_it_as_with_any(installed, tmp_path):
    def run(*words):
        paths = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", "mechdesign_cli", *words]
        return subprocess.run(
            command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True
        )

    (tmp_path / "values.csv").write_text("city\n" + "Cork\nDublin\n" * 200)
    (tmp_path / "cities.txt").write_text("Cork\nDublin\nGalway\n")
    words = ("--epsilon", "1", "--input", "values.csv", "--domain", "cities.txt", "-o", "r.parquet")
    assert run("privatize", "--oracle", "keep", *words).returncode == 0
    told = run("aggregate", "r.parquet", "--json")
    assert told.returncode == 0, told.stderr
    listed = json.loads(run("oracles", "--k", "8", "--epsilon", "1", "--all", "--json").stdout)["oracles"]
    assert "keep" in [row["oracle"] for row in listed]
    assert "keep" not in run("oracles", "--k", "8", "--epsilon", "1").stdout


def test_files_name_what_is_not_installed():
    with pytest.raises(InputError, match="oracle must be one of this version or of an installed package, got keep"):
        oracle_of({"oracle": "keep", "k": 5, "privacy": "epsilon=1"})


def test_no_package_takes_the_place_of_an_oracle(tmp_path, monkeypatch):
    offer(tmp_path, "grr = nosuch:Grr\nhh = nosuch:Hh")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert make_oracle("grr", 4, Privacy(epsilon=1)).name == "grr"
    assert parse_oracle("hh:b=2", 4, Privacy(epsilon=1)).name == "hh"
    assert {"grr", "hh"} <= set(installed_names())


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("mine = nosuch:Mine", "oracle mine of other must load, got ModuleNotFoundError"),
        ("mine = json:dumps", "oracle mine of other must be a FrequencyOracle of that name, got another"),
        (
            "mine = mechdesign_catalog.oracles.kinds.grr:Grr",
            "oracle mine of other must be a FrequencyOracle of that name",
        ),
    ],
)
def test_what_is_no_oracle_is_refused_in_a_line(tmp_path, monkeypatch, text, error):
    offer(tmp_path, text)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match=error):
        make_oracle("mine", 4, Privacy(epsilon=1))


def test_a_name_of_two_packages_is_refused(tmp_path, monkeypatch):
    offer(tmp_path, "mine = nosuch:Mine", "one")
    offer(tmp_path, "mine = nosuch:Mine", "two")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match="oracle mine must be offered by one installed package, got one, two"):
        make_oracle("mine", 4, Privacy(epsilon=1))
