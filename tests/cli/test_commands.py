"""Every command as a user runs it."""

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from solving import begin_to_solve
from studios import PATIENCE
from wording import check_wording

from mechdesign import read_mechanism
from mechdesign.version import __version__


def test_the_main_job(mechdesign):
    seen = mechdesign("solve", "--n", 8, "--alpha", "0.9", "--props", "WH,CM")
    assert (seen.code, seen.err) == (0, "")
    for fact in ("114025/118098 = 0.965512", "18/19", "278559/287608", "WH, RH, RM, CH, CM, S"):
        assert fact in seen.out
    assert "0 (exact" in seen.out
    assert "0.1694" in seen.out


@pytest.mark.slow
def test_solve_exports_plots_and_prints_the_document(mechdesign):
    seen = mechdesign(
        *("solve", "--n", 8, "--alpha", "9/10", "--props", "WH,CM", "--json", "--plot", "wm.svg"),
        *("-o", "wm.json", "-o", "wm.csv", "--output", "wm.npz"),
    )
    assert seen.code == 0
    assert json.loads(seen.out)["score"]["exact"] == "114025/118098"
    rounded = "wm.csv holds rounded floats; for exact numbers use --fractions, or a .json or .npz"
    assert seen.err.splitlines() == ["wrote wm.json", "wrote wm.csv", "wrote wm.npz", "wrote wm.svg", rounded]
    assert read_mechanism(Path("wm.json")) == read_mechanism(Path("wm.npz"))
    assert np.loadtxt("wm.csv", delimiter=",").shape == (9, 9)
    assert Path("wm.json").read_text() == seen.out
    assert Path("wm.svg").read_text().startswith("<?xml")


def test_files_for_loss_and_prior_travel_in_the_document(mechdesign):
    Path("loss.csv").write_text("0,1,5\n1/2,0,1/2\n5,1,0\n")
    Path("prior.txt").write_text("0.5\n0.25\n0.25\n")
    seen = mechdesign(
        "solve", "--n", 2, "--epsilon", "0.5", "--loss", "loss.csv", "--prior", "prior.txt", "-o", "d.json"
    )
    assert seen.code == 0
    Path("loss.csv").unlink()
    Path("prior.txt").unlink()
    entry = json.loads(Path("d.json").read_text())["problem"]
    assert entry["loss_matrix"][1] == ["1/2", "0", "1/2"]
    assert entry["prior_weights"] == ["1/2", "1/4", "1/4"]
    checked = mechdesign("check", "d.json")
    assert checked.code == 0
    assert "FALSE" not in checked.out


@pytest.mark.slow
@pytest.mark.parametrize("width", [40, 80, 200])
def test_reports_fit_the_terminal(mechdesign, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for arguments in (["solve", "--n", 8, "--alpha", "0.9"], ["solve", "--n", 30, "--alpha", "0.9"], ["catalog"]):
        seen = mechdesign(*arguments)
        assert seen.code == 0
        assert max(len(line) for line in seen.out.splitlines()) <= width


@pytest.mark.parametrize(("width", "shown"), [(76, "0.5263"), (75, "0.526"), (67, "0.526"), (66, "0.53"), (57, ".53")])
def test_decimals_are_spared_before_columns(mechdesign, monkeypatch, width, shown):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = mechdesign("solve", "--n", 8, "--alpha", "0.9").out.splitlines()
    rows = [line.split() for line in lines if line.strip()[:1].isdigit() and len(line.split()) == 10]
    assert [row[0] for row in rows] == [str(i) for i in range(9)]
    assert rows[0][1] == shown


@pytest.mark.parametrize(("width", "blocks"), [(80, 1), (40, 2), (24, 3), (20, 0)])
def test_a_wide_matrix_is_shown_in_blocks_of_columns(mechdesign, monkeypatch, width, blocks):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = mechdesign("solve", "--n", 12, "--alpha", "0.5", "--props", "WH").out.splitlines()
    heads = [line.split()[1:] for line in lines if line.startswith("i\\j")]
    assert len(heads) == blocks
    assert [int(j) for head in heads for j in head] == (list(range(13)) if blocks else [])
    assert max(map(len, lines)) <= width
    assert ("too wide" in " ".join(" ".join(lines).split())) == (not blocks)


@pytest.mark.slow
def test_catalog_lists_and_shows(mechdesign):
    listed = mechdesign("catalog")
    assert listed.code == 0
    for name in ("GM", "EM", "UM", "RR", "EXP", "Ghosh", "Warner"):
        assert name in listed.out
    rows = json.loads(mechdesign("catalog", "--json").out)["mechanisms"]
    assert {"name", "model", "parameters", "properties", "reference"} <= set(rows[0])
    shown = mechdesign("catalog", "gm", "--n", 8, "--alpha", "0.9", "-o", "gm.json", "--plot", "gm.png")
    assert shown.code == 0
    assert "18/19" in shown.out
    assert Path("gm.png").read_bytes().startswith(b"\x89PNG")
    document = json.loads(Path("gm.json").read_text())
    assert (document["status"], document["how"]) == ("exact", "closed form GM")
    assert mechdesign("check", "gm.json").code == 0
    assert mechdesign("catalog", "RR", "--epsilon", "1").code == 0
    uniform = json.loads(mechdesign("catalog", "UM", "--n", 3, "--alpha", "0.9", "--json").out)
    assert (uniform["status"], uniform["lower_bound"]["exact"]) == ("feasible", "18/19")


def test_check_reads_any_matrix(mechdesign):
    Path("leaky.csv").write_text("1,0.5\n0,0.5\n")
    seen = mechdesign("check", "leaky.csv", "--json")
    found = json.loads(seen.out)
    assert seen.code == 0
    assert (found["epsilon"], found["alpha"], found["column_sums_exact"]) == ("inf", None, True)
    assert found["at"] == {"output": 1, "low": 0, "high": 1}
    assert found["claims"] == []
    assert "output 1 is impossible for input 0 but not for 1" in " ".join(mechdesign("check", "leaky.csv").out.split())


def test_check_tests_claims(mechdesign):
    Path("m.csv").write_text("0.6,0.4\n0.4,0.6\n")
    assert mechdesign("check", "m.csv", "--alpha", "2/3", "--props", "all").code == 0
    failed = mechdesign("check", "m.csv", "--alpha", "0.7", "--props", "WH", "--json")
    assert failed.code == 1
    assert [claim["true"] for claim in json.loads(failed.out)["claims"]] == [True, False, True]
    assert "FALSE" in mechdesign("check", "m.csv", "--epsilon", "0.3").out


def test_check_knows_matrices_with_one_row_for_each_input(mechdesign):
    Path("rows.csv").write_text("0.75,0.25\n0.5,0.5\n")
    assert "use --row-stochastic" in " ".join(mechdesign("check", "rows.csv").out.split())
    found = json.loads(mechdesign("check", "rows.csv", "--row-stochastic", "--json").out)
    assert found["column_sums_exact"]
    assert found["alpha"] == "1/2"


def test_check_repairs(mechdesign):
    Path("leaky.csv").write_text("1,0.5,0\n0,0.5,0\n0,0,1\n")
    seen = mechdesign("check", "leaky.csv", "--alpha", "0.9", "--props", "WH,S", "--loss", "L1", "--repair", "ok.json")
    assert seen.code == 0
    check_wording(seen.err)
    checked = mechdesign("check", "ok.json", "--alpha", "0.9", "--props", "WH,S")
    assert checked.code == 0
    assert json.loads(Path("ok.json").read_text())["problem"]["loss"] == "L1"


def test_a_tampered_document_fails_its_own_claims(mechdesign):
    mechdesign("solve", "--n", 3, "--alpha", "0.9", "-o", "d.json")
    text = Path("d.json").read_text()
    Path("d.json").write_text(text.replace('"status": "exact"', '"status": "certified"'))
    assert mechdesign("check", "d.json").code == 1


def test_release_of_a_data_set(mechdesign):
    mechdesign("solve", "--n", 12, "--alpha", "0.9", "--props", "WH,CM", "-o", "wm.json")
    seen = mechdesign(
        *("release", "--data", "saxony", "--mechanism", "wm.json", "-o", "r.csv", "--statement", "s.txt", "--keep-true")
    )
    assert seen.code == 0
    rows = list(csv.DictReader(Path("r.csv").read_text().splitlines()))
    assert len(rows) == 6115
    true = [int(row["boys"]) for row in rows]
    assert np.bincount(true).tolist() == [3, 24, 104, 286, 670, 1033, 1343, 1112, 829, 478, 181, 45, 7]
    assert true != sorted(true)
    assert {int(row["released"]) for row in rows} <= set(range(13))
    assert "epsilon = 0.105361" in Path("s.txt").read_text()
    assert Path("s.txt").read_text().strip() in seen.err
    assert seen.err.splitlines()[-2:] == ["wrote r.csv", "wrote s.txt"]
    assert "leaves the true counts" in seen.err
    assert seen.out == ""
    mechdesign("release", "--data", "saxony", "--mechanism", "wm.json", "-o", "r.csv", "--replace")
    assert Path("r.csv").read_text().splitlines()[0] == "released"


def test_release_of_a_file(mechdesign):
    mechdesign("solve", "--n", 4, "--alpha", "0.5", "-o", "m.json")
    Path("groups.csv").write_text("town,boys\nA,3\nB,0\n")
    seen = mechdesign("release", "--input", "groups.csv", "--column", "boys", "--mechanism", "m.json", "-o", "r.csv")
    assert seen.code == 0
    assert "published as they are: town" in seen.err
    assert [line.split(",")[0] for line in Path("r.csv").read_text().splitlines()] == ["town", "A", "B"]


def test_release_by_size(mechdesign):
    Path("households.csv").write_text("size,sick\n" + "3,1\n5,5\n1,0\n" * 20)
    seen = mechdesign(
        *("release", "--input", "households.csv", "--column", "sick", "--size", "size"),
        *("--epsilon", "0.7", "--props", "CM", "-o", "r.csv"),
    )
    assert seen.code == 0
    assert "epsilon = 0.7 (alpha = " in " ".join(seen.err.split())
    assert "size of every group is public" in " ".join(seen.err.split())
    for size, released in list(csv.reader(Path("r.csv").read_text().splitlines()))[1:]:
        assert 0 <= int(released) <= int(size)


@pytest.mark.slow
def test_seeds_repeat_and_warn(mechdesign):
    mechdesign("solve", "--n", 12, "--alpha", "0.9", "-o", "m.json")
    texts = []
    for name in ("r.csv", "again.csv"):
        seen = mechdesign("release", "--data", "weldon", "--mechanism", "m.json", "-o", name, "--seed", 4)
        assert "for simulation, not for release" in seen.err
        assert "SIMULATION" in seen.err
        texts.append(Path(name).read_text())
    assert texts[0] == texts[1]


def test_version(mechdesign):
    assert mechdesign("--version").out == f"mechdesign {__version__}\n"


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    command = f"{sys.executable} -m mechdesign_cli solve --n 30 --alpha 0.9 --json -o {tmp_path}/d.json | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "{\n")
    assert "Traceback" not in done.stderr
    assert (tmp_path / "d.json").exists()


@pytest.mark.slow
def test_ctrl_c_leaves_nothing_behind(tmp_path):
    job = begin_to_solve(tmp_path, *["--n", "400", "--alpha", "0.9", "--props", "CM", "--loss", "L2", "-o", "d.json"])
    job.send_signal(signal.SIGINT)
    _, err = job.communicate(timeout=PATIENCE)
    assert (job.returncode, err) == (130, "mechdesign: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_solve_says_when_the_best_design_ignores_the_data(mechdesign):
    hint = "it ignores the data: every input gives the same distribution of outputs"
    ignoring = ("--alpha", "0.99", "--loss", "L1"), ("--alpha", "0.5", "--props", "OS:1")
    for options in ignoring:
        assert hint in " ".join(mechdesign("solve", "--n", "4", *options).out.split())
    assert hint not in " ".join(mechdesign("solve", "--n", "4", "--alpha", "0.9").out.split())
