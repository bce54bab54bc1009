"""The program beside the kernel says what the engine says: proved, a false claim, or unreadable."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from random_documents import changed, document_of, random_design
from tampering import FORGED, MALFORMED, TAMPERINGS, tampered
from two_checkers import FALSE, PROVED, UNREADABLE, by_engine, by_program
from wording import check_wording, refused

from mechdesign import DesignProblem, InputError, design
from mechdesign.documents.storage import export, read_matrix
from mechdesign.verify import __main__ as program

DESIGN = design(DesignProblem(8, "9/10", properties="WH,CM"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_both_agree_on_random_documents(seed, tmp_path, capsys):
    """20 designs of each seed, true and then changed four times each: 500 documents in all."""
    random = Random(seed)
    seen = Counter()
    path = tmp_path / "design.json"
    for _ in range(20):
        true = document_of(random_design(random))
        for data in (true, *(changed(true, random) for _ in range(4))):
            path.write_text(json.dumps(data))
            verdict = by_engine(path)
            assert by_program(path) == verdict, (verdict, capsys.readouterr(), path.read_text())
            assert data is not true or verdict == PROVED, capsys.readouterr()
            seen[verdict] += 1
            capsys.readouterr()
    assert sum(seen.values()) == 100
    assert min(seen[verdict] for verdict in (PROVED, FALSE, UNREADABLE)) >= 5


@pytest.mark.parametrize("change", TAMPERINGS)
def test_false_claims_are_refuted(change, tmp_path, capsys):
    path = tampered(DESIGN, tmp_path, change)
    assert by_program(path) == by_engine(path) == FALSE
    assert re.search(r"^  FALSE   .*\)$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(("change", "message"), MALFORMED)
def test_what_is_no_document_is_unreadable(change, message, tmp_path, capsys):
    path = tampered(DESIGN, tmp_path, change)
    assert by_program(path) == by_engine(path) == UNREADABLE
    seen = capsys.readouterr()
    assert re.fullmatch(r"verify: \S+ is unreadable: [^\n]{1,160}\n", seen.err)
    assert re.search(message, seen.err)
    assert "proved" not in seen.out
    with refused(InputError):
        read_matrix(path)


@pytest.mark.parametrize(("text", "instead", "key"), FORGED)
def test_no_key_stands_twice(text, instead, key, tmp_path, capsys):
    path = tampered(DESIGN, tmp_path, lambda data: None)
    path.write_text(path.read_text().replace(text, instead, 1))
    assert by_program(path) == by_engine(path) == UNREADABLE
    check_wording(capsys.readouterr().err)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "wm.json"
    export(DESIGN, path)
    return path


def test_the_output_says_what_to_believe_and_what_was_proved(file, capsys):
    assert by_program(file) == PROVED
    first, second, third, *claims, last = capsys.readouterr().out.splitlines()
    folder = Path(program.__file__).parent
    sources = sorted(folder.rglob("*.py"))
    lines = sum(len(path.read_text().splitlines()) for path in sources)
    assert first.startswith("To be believed: the integers, fractions, JSON and CSV readers and SHA-256 of Python 3.")
    assert f"the {lines} lines of these {len(sources)} files in {folder}:" in first
    assert second.split() == [
        f"{path.relative_to(folder).as_posix()}{'.' if path == sources[-1] else ','}" for path in sources
    ]
    assert third.startswith("No solver, no floating point")
    assert claims[0] == f"{file}: counts 0..8, neighbours differ by 1, alpha = '9/10', WH, CM, loss L0, prior 'uniform'"
    assert "  proved  no mechanism that meets these demands at this alpha scores below 114025/118098" in claims
    assert all(claim.startswith("  proved  ") for claim in claims[1:])
    assert last == f"{file}: all {len(claims) - 1} claims are proved"


def test_a_false_claim_weighs_more_than_an_unreadable_file(file, tmp_path, capsys):
    false = tmp_path / "false.json"
    false.write_text(file.read_text().replace('"status": "exact"', '"status": "certified"'))
    assert program.main([str(file), str(file)]) == PROVED
    assert program.main([str(file), str(tmp_path)]) == UNREADABLE
    assert program.main([str(false), "missing.json", str(file)]) == FALSE
    seen = capsys.readouterr()
    check_wording(seen.err)
    assert "1 of 12 claims are false" in seen.out


BAD = {
    "empty": b"",
    "cut": b'{"format": "mechdesign-design/1", ',
    "deep": b"[" * 200_000,
    "deep objects": b'{"a":' * 200_000,
    "digits": b"9" * 1_000_000,
    "not utf-8": b"\xff\xfe\x00",
    "surrogate": b'{"format": "mechdesign-design/1", "\\ud800": 1}',
    "nan": b"NaN",
    "a list": b"[[1, 0], [0, 1]]",
    "another format": b'{"format": "mechdesign-design/2"}',
    "nothing inside": b'{"format": "mechdesign-design/1"}',
}


@pytest.mark.parametrize("name", BAD)
def test_hostile_files(name, tmp_path, capsys):
    path = tmp_path / "bad.json"
    path.write_bytes(BAD[name])
    assert by_program(path) == UNREADABLE
    assert re.fullmatch(r"verify: \S+ is unreadable: [^\n]{1,160}\n", capsys.readouterr().err)


def small_bomb(**problem):
    """A short file that speaks of something huge."""

    def change(data):
        del data["problem"]["n"]
        data["problem"].update(problem)

    return change


@pytest.mark.parametrize(
    "problem",
    [
        {"model": "count", "n": 4095},
        {"model": "lldp", "k": 4096, "radius": 2000},
        {"model": "ldp", "k": 4096},
        {"model": "ldp", "k": 9, "alpha": "1/" + "9" * 199_000},
        {"model": "ldp", "k": 9, "loss": "L256:" + "9" * 100},
        {"model": "ldp", "k": 9, "prior": "binomial:1/" + "9" * 2_000},
        {"model": "ldp", "k": 9, "epsilon": 10**1_000},
        {"model": "metric", "k": 2, "distances": [["0", "1"], ["1", "0"]], "unit": "1", "step_alpha": {"low": "1"}},
    ],
)
def test_short_files_that_speak_of_something_huge(problem, tmp_path):
    assert by_program(tampered(DESIGN, tmp_path, small_bomb(**problem))) == UNREADABLE


def run(*arguments, **options):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, **options)


@pytest.mark.slow
def test_the_folder_alone_is_a_program(file, tmp_path):
    """Copied elsewhere, without site packages, it proves and refutes; nothing of the package is within reach."""
    shutil.copytree(Path(program.__file__).parent, tmp_path / "verify", ignore=shutil.ignore_patterns("__pycache__"))
    command = ("-S", "-B", "-W", "error", "-m", "verify")
    seen = run(*command, str(file), cwd=tmp_path)
    assert (seen.returncode, seen.stderr) == (PROVED, "")
    assert f"files in {tmp_path / 'verify'}" in seen.stdout
    file.write_text(file.read_text().replace('"114025/118098"', '"114024/118098"'))
    assert run(*command, str(file), cwd=tmp_path).returncode == FALSE
    seen = run(*command, str(tmp_path / "verify" / "kernel.py"), cwd=tmp_path)
    assert (seen.returncode, seen.stderr.count("\n")) == (UNREADABLE, 1)
    names = run("-S", "-B", "-c", "import verify.__main__, sys; print(*sys.modules)", cwd=tmp_path).stdout.split()
    outside = {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names)
    assert outside <= {"verify", "__main__"}


def test_the_package_does_not_load_what_the_program_does_not_need():
    seen = run("-c", "import mechdesign.verify.__main__, sys; print(*sys.modules)").stdout.split()
    assert not {"numpy", "flint", "highspy", "mechdesign.rational", "mechdesign.problem"} & set(seen)


@pytest.mark.slow
def test_usage_and_a_closed_output(file):
    for arguments, message in (((), "usage: "), (("--fast",), "usage: ")):
        seen = run("-m", "mechdesign.verify", *arguments)
        assert (seen.returncode, seen.stdout, seen.stderr.count("\n")) == (UNREADABLE, "", 1)
        assert message in seen.stderr
    assert run("-m", "mechdesign.verify", "--help").returncode == 0
    for shell in (
        f"{sys.executable} -m mechdesign.verify {file} >&-",
        f"{sys.executable} -m mechdesign.verify {file} > /dev/full",
    ):
        seen = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)
        assert (seen.returncode, seen.stderr) == (UNREADABLE, "verify: output could not be written\n")
