"""What a fresh process imports: commands load when they run, and heavy packages where they are used."""

import subprocess
import sys

import pytest

SAY = """
import sys
from mechdesign_cli.app import run
code = run(sys.argv[1:])
print(code, *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def imported(*arguments):
    done = subprocess.run([sys.executable, "-c", SAY, *arguments], capture_output=True, text=True, check=True)
    code, *packages = done.stderr.split()
    assert code == "0"
    return set(packages)


@pytest.mark.parametrize("arguments", [["--help"], [], ["--version"]])
def test_help_loads_nothing_heavy(arguments):
    found = imported(*arguments)
    assert "typer" in found
    assert found.isdisjoint({"numpy", "flint", "highspy", "pyarrow", "matplotlib", "scipy", "cvxpy", "rich"})


@pytest.mark.slow
@pytest.mark.parametrize(("method", "is_solved"), [("auto", False), ("symmetric", True)])
def test_solve_loads_what_it_needs(method, is_solved):
    """The main job is a closed form; a linear program loads its solver."""
    found = imported("solve", "--n", "8", "--alpha", "0.9", "--props", "WH,CM", "--method", method)
    assert {"numpy", "flint"} <= found
    assert ("highspy" in found) == is_solved
    assert found.isdisjoint({"pyarrow", "matplotlib", "scipy", "cvxpy", "requests", "pooch"})


@pytest.mark.slow
@pytest.mark.parametrize("oracle", [["hrr"], ["best", "--workload", "prefixes"]])
def test_a_task_is_made_without_what_only_estimates_need(tmp_path, oracle):
    """Each client of a collection begins so, the choice of the best oracle included."""
    made = ("local", "task", "new", "--oracle", *oracle, "--epsilon", "1", "--k", "40", "--output")
    found = imported(*made, str(tmp_path / "task.json"), "--quiet")
    assert found.isdisjoint({"matplotlib", "scipy", "cvxpy", "highspy"})
