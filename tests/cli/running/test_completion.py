"""Completion: the scripts that are printed, and what a real bash makes of them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TRY = """
eval "$(mechdesign completion bash)"
COMP_WORDS=(%s)
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_mechdesign_completion mechdesign
printf '%%s\\n' "${COMPREPLY[@]}"
"""


def completed(words):
    """What bash offers for the last of the words."""
    bash = shutil.which("bash")
    assert bash is not None
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    done = subprocess.run([bash, "-c", TRY % words], capture_output=True, text=True, check=True, env={"PATH": path})
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell(mechdesign, shell):
    seen = mechdesign("completion", shell)
    assert (seen.code, seen.err) == (0, "")
    assert f"_MECHDESIGN_COMPLETE=complete_{shell}" in seen.out


def test_another_shell_is_bad_input(mechdesign):
    seen = mechdesign("completion", "tcsh")
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("mechdesign comp", {"compare", "completion"}),
        ("mechdesign local design --a", {"--alpha", "--aggregate", "--attributes"}),
        ("mechdesign solve --model l", {"ldp", "lldp"}),
    ],
    ids=["commands", "options", "models"],
)
def test_bash_completes(words, offered):
    assert set(completed(words)) == offered
