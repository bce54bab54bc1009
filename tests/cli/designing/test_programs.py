"""`solve --output` to .vipr, .lp and .mps: several at once, whole or not at all, and refused before the work."""

import pytest
from command_line import make_runner
from vipr_reader import check, read_certificate
from wording import check_wording

import mechdesign as md


@pytest.fixture
def mechdesign(capsys):
    return make_runner(capsys)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_several_outputs_at_once(mechdesign, in_a_folder):
    names = ["wm.vipr", "wm.lp", "wm.mps", "wm.json", "wm.csv"]
    outputs = [word for name in names for word in ("--output", name)]
    seen = mechdesign("solve", "--n", "4", "--alpha", "0.9", "--props", "WH,CM", *outputs)
    assert seen.code == 0
    note = "wm.csv holds rounded floats; for exact numbers use --fractions, or a .json or .npz\n"
    assert seen.err == "".join(f"wrote {name}\n" for name in names) + note
    certificate = read_certificate((in_a_folder / "wm.vipr").read_text())
    check(certificate)
    assert str(certificate.lower) == str(certificate.upper) == "391/405"
    for name in names[:3]:
        before = (in_a_folder / name).read_bytes()
        md.export(md.read_design("wm.json"), name)
        assert (in_a_folder / name).read_bytes() == before


def test_numbers_beyond_floats_are_told_on_stderr(mechdesign):
    outputs = ["-o", "a.lp", "-o", "a.vipr", "-o", "a.mps"]
    seen = mechdesign("solve", "--n", "2", "--alpha", "1e-17", *outputs)
    assert seen.code == 0
    lines = seen.err.splitlines()
    assert [line for line in lines if line.startswith("wrote")] == ["wrote a.lp", "wrote a.vipr", "wrote a.mps"]
    assert [line.split(":")[0] for line in lines if "2^53" in line] == ["a.lp", "a.mps"]


@pytest.mark.parametrize("suffix", ["vipr", "lp", "mps"])
def test_too_many_rows_are_refused_before_the_work(mechdesign, in_a_folder, suffix, monkeypatch):
    monkeypatch.setattr("mechdesign_cli.commands.counts.solve.make_plan", None)
    model = ("--model", "ldp", "--k", "400", "--alpha", "0.5", "--loss", "L1")
    seen = mechdesign("solve", *model, "--output", "a.json", "--output", f"a.{suffix}")
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert seen.err.count("\n") == 1
    assert not list(in_a_folder.iterdir())


def test_an_infeasible_problem_writes_nothing(mechdesign, in_a_folder):
    seen = mechdesign("solve", "--n", "4", "--alpha", "0.9", "--props", "WH:3", "--output", "a.vipr")
    assert seen.code == 1
    check_wording(seen.err)
    assert not list(in_a_folder.iterdir())


def test_nothing_is_written_where_one_file_fails(mechdesign, in_a_folder):
    (in_a_folder / "there").mkdir()
    seen = mechdesign("solve", "--n", "4", "--alpha", "0.9", "--output", "a.vipr", "--output", "there/no/b.lp")
    assert seen.code == 2
    assert [path.name for path in in_a_folder.iterdir()] == ["there"]


def test_closed_forms_of_the_shelf_are_certified_too(mechdesign, in_a_folder):
    assert mechdesign("catalog", "EM", "--n", "5", "--alpha", "0.9", "--output", "em.vipr").code == 0
    certificate = read_certificate((in_a_folder / "em.vipr").read_text())
    check(certificate)
    assert certificate.lower == certificate.upper


def test_a_remap_is_no_program(mechdesign):
    assert mechdesign("catalog", "GM", "--n", "4", "--alpha", "0.9", "--output", "gm.json").code == 0
    seen = mechdesign("derive", "gm.json", "--output", "remap.vipr")
    assert seen.code == 2
    check_wording(seen.err)
