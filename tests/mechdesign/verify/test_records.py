"""The program beside the kernel proves the designs of a release record, and what follows from them."""

import hashlib
import json
import re

import pytest
from microdata import without_canonical, write_people
from record_cases import RECORD_CASES
from wording import check_wording, refused

from mechdesign import DesignProblem, design
from mechdesign.documents.storage import export
from mechdesign.releases.checking import check_release
from mechdesign.releases.files import release_file
from mechdesign.verify import __main__ as program


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    write_people(folder / "people.csv", areas=12, largest=4)
    asked = {"bit": "poor", "group": "area", "alpha": "3/4"}
    release_file(folder / "people.csv", folder / "r.csv", record=folder / "r.json", **asked)
    return folder / "r.json"


def test_a_record_is_proved(written, capsys):
    assert program.main([str(written)]) == 0
    out = capsys.readouterr().out
    assert "the record of a release; not looked at: the statement in words, the input, who was counted" in out
    assert "  proved  n = 2: all 18 claims of the design" in out
    assert "  proved  designs_sha256 is the digest of all designs" in out


@pytest.mark.parametrize(("change", "verdict"), RECORD_CASES)
def test_each_rule_of_a_record(written, change, verdict, tmp_path, capsys):
    """As by the command `check`, which looks at the rest as well."""
    data = json.loads(written.read_text())
    change(data)
    path = tmp_path / "r.json"
    path.write_text(json.dumps(data))
    assert program.main([str(path)]) == verdict, capsys.readouterr()
    try:
        by_engine = 0 if all(claim.true for claim in check_release(path)) else 1
    except ValueError:
        by_engine = 2
    assert by_engine == verdict


def test_a_release_that_ignores_the_counts_is_proved(tmp_path, capsys):
    export(design(DesignProblem(2, "3/4", properties="OS:1")), tmp_path / "d.json")
    (tmp_path / "counts.csv").write_text("area,count\na,1\nb,2\n")
    asked = {"column": "count", "mechanism": tmp_path / "d.json"}
    release_file(tmp_path / "counts.csv", tmp_path / "r.csv", record=tmp_path / "r.json", **asked)
    data = json.loads((tmp_path / "r.json").read_text())
    assert data["privacy"] == {"alpha": "1", "epsilon": 0.0}
    assert program.main([str(tmp_path / "r.json")]) == 0, capsys.readouterr()
    data["privacy"]["epsilon"] = -1e-9
    (tmp_path / "r.json").write_text(json.dumps(data))
    assert program.main([str(tmp_path / "r.json")]) == 1


def test_a_record_of_alpha_1_needs_designs_that_ignore_the_counts(written, tmp_path, capsys):
    data = json.loads(written.read_text())
    data["privacy"] = {"alpha": "1", "epsilon": 0}
    path = tmp_path / "r.json"
    path.write_text(json.dumps(data))
    assert program.main([str(path)]) == 1
    assert "an output depends on the count" in capsys.readouterr().out


@pytest.fixture(scope="module")
def with_intervals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("intervals")
    write_people(folder / "people.csv", areas=12, largest=4)
    asked = {"bit": "poor", "group": "area", "alpha": "3/4", "intervals": "0.9"}
    release_file(folder / "people.csv", folder / "r.csv", record=folder / "r.json", **asked)
    return folder


@pytest.mark.parametrize(
    ("old", "new", "false"),
    [
        ("", "", None),
        ("area 0005,2", "area 0001,2", "every group stands once"),
        ("area 0005,2", "area 0004 ,2", "every group stands once"),
        ("area 0005,2", "area 0004\u200b,2", "every group stands once"),
        ("area 0005,2", "area 0004\ufe0f,2", "every group stands once"),
        ("area 0005,2", ",2", "every group stands once"),
        ("area 0005,2", "area 9999,2", "the groups are sorted by name"),
        ("area,size", "\ufeffarea,size", "the output has line feeds and no byte order mark"),
        ("\n", "\r\n", "the output has line feeds and no byte order mark"),
        ("area 0005,2", "area 0005,3", "as many groups of each size"),
        ("low_all", "lowest", "the output has the record's columns"),
        (",0,", ",9,", "every released count is in 0..n"),
    ],
)
def test_an_output_is_tested_against_its_record(with_intervals, old, new, false, tmp_path, capsys):
    written = (with_intervals / "r.csv").read_bytes()
    forged = written.replace(old.encode(), new.encode()) if old else written
    text = (with_intervals / "r.json").read_text()
    digests = (hashlib.sha256(data).hexdigest() for data in (written, forged))
    (tmp_path / "r.json").write_text(text.replace(*digests))
    (tmp_path / "r.csv").write_bytes(forged)
    code = program.main([str(tmp_path / "r.json"), str(tmp_path / "r.csv")])
    out = capsys.readouterr().out
    assert code == (0 if false is None else 1)
    assert false is None or any("FALSE" in line and false in line for line in out.splitlines())
    by_engine = all(claim.true for claim in check_release(tmp_path / "r.json", tmp_path / "r.csv"))
    assert by_engine == (false is None)


def test_rows_under_another_header_are_not_judged(with_intervals, tmp_path, capsys):
    """Nobody knows what stands in their columns."""
    written = (with_intervals / "r.csv").read_bytes()
    (tmp_path / "r.csv").write_bytes(written.replace(b"low_all", b"lowest"))
    assert program.main([str(with_intervals / "r.json"), str(tmp_path / "r.csv")]) == 1
    said = capsys.readouterr().out.splitlines()
    about = [line for line in said if "the output" in line or "released count" in line]
    assert "FALSE" in about[-1]
    assert "the output has the record's columns" in about[-1]


def verdicts(folder, record, output):
    """Return the exit codes of both checkers for an output whose digest stands in the record."""
    (folder / "r.json").write_text(record)
    (folder / "r.csv").write_bytes(output)
    code = program.main([str(folder / "r.json"), str(folder / "r.csv")])
    try:
        by_engine = 0 if all(claim.true for claim in check_release(folder / "r.json", folder / "r.csv")) else 1
    except ValueError:
        by_engine = 2
    return code, by_engine


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("$", "\n", 2),
        ("^area 0005", "\narea 0005", 2),
        (r"^(area 0005,\d+),(\d+)", r"\1, \2", 2),
        (r"^(area 0005,\d+),(\d+)", r"\1,\2 ", 2),
        (r"^(area 0005,\d+),(\d+)", r"\1,0\2", 2),
        (r"^(area 0005,\d+),(\d+)", r"\1,+\2", 2),
        (r"^(area 0005,\d+),(\d+)", r"\1,", 2),
        (r"^(area 0005),(\d+)", r"\1,0\2", 2),
        (r"^(area 0005),(\d+)", r"\1, \2", 2),
        (r"^(area 0005,.*)", r"\1,", 2),
        ("^area 0005", "area\0 0005", 2),
        (r"^(area 0005),(\d+)", r'\1,"\2"', 0),
        ("size", " size", 1),
    ],
)
def test_an_output_has_one_form(with_intervals, old, new, verdict, tmp_path, capsys):
    """Rows, counts and sizes are written in one way only, for the engine and for the program beside the kernel."""
    written = (with_intervals / "r.csv").read_text()
    forged = written + new if old == "$" else re.sub(old, new, written, count=1, flags=re.MULTILINE)
    assert forged != written
    digests = (hashlib.sha256(text.encode()).hexdigest() for text in (written, forged))
    record = (with_intervals / "r.json").read_text().replace(*digests)
    assert verdicts(tmp_path, record, forged.encode()) == (verdict, verdict), capsys.readouterr()


@pytest.mark.parametrize(
    ("size", "count", "verdict"),
    [("2", "1", 0), (" 2", "1", 0), ("02 ", "1", 0), ("2.0", "1", 2), ("2", " 1", 2), ("2", "01", 2), ("2\n", "1", 0)],
)
def test_sizes_of_a_table_are_as_the_input_has_them(size, count, verdict, tmp_path, capsys):
    (tmp_path / "in.csv").write_text("area,size,count\na, 2,1\nb,3,2\n")
    asked = {"column": "count", "size": "size", "alpha": "1/2"}
    release_file(tmp_path / "in.csv", tmp_path / "out.csv", record=tmp_path / "out.json", **asked)
    written = (tmp_path / "out.csv").read_text()
    assert written.startswith("area,size,released\na, 2,")
    forged = f'area,size,released\na,"{size}",{count}\nb,3,2\n'
    digests = (hashlib.sha256(text.encode()).hexdigest() for text in (written, forged))
    record = (tmp_path / "out.json").read_text().replace(*digests)
    data = json.loads(record)
    data["statement"] = data["statement"].replace(*(hashlib.sha256(t.encode()).hexdigest() for t in (written, forged)))
    assert verdicts(tmp_path, json.dumps(data), forged.encode()) == (verdict, verdict), capsys.readouterr()


@pytest.mark.parametrize("column", [3, 4, 5, 6])
def test_both_checkers_recompute_every_interval(with_intervals, column, tmp_path, capsys):
    lines = (with_intervals / "r.csv").read_text().splitlines()
    cells = lines[4].split(",")
    cells[column] = str(int(cells[column]) + 1)
    lines[4] = ",".join(cells)
    (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
    assert program.main([str(with_intervals / "r.json"), str(tmp_path / "r.csv")]) == 1
    assert "FALSE   every interval follows from its count (that of row 4 does not)" in capsys.readouterr().out
    false = [claim for claim in check_release(with_intervals / "r.json", tmp_path / "r.csv") if not claim.true]
    assert (false[-1].claim, false[-1].detail) == ("every interval follows from its count", "that of row 4 does not")


def test_an_output_goes_behind_its_record(with_intervals, capsys):
    assert program.main([str(with_intervals / "r.csv")]) == 2
    check_wording(capsys.readouterr().err)


@pytest.mark.parametrize(
    "intervals", [{}, {"confidence": "1"}, {"confidence": "0"}, {"confidence": 0.9}, [], {"confidence": "9/10", "x": 1}]
)
def test_intervals_of_another_form_are_unreadable(with_intervals, intervals, tmp_path, capsys):
    data = json.loads((with_intervals / "r.json").read_text())
    data["intervals"] = intervals
    path = tmp_path / "r.json"
    path.write_text(json.dumps(data))
    assert program.main([str(path)]) == 2, capsys.readouterr()
    with refused(ValueError):
        check_release(path)


@pytest.mark.parametrize("asked", [{"epsilon": "1"}, {"epsilon": "1", "loss": "L0"}, {"alpha": "3/4", "loss": "L2"}])
def test_records_of_the_second_version(asked, tmp_path, capsys):
    write_people(tmp_path / "people.csv", areas=6, largest=3)
    files = [tmp_path / name for name in ("people.csv", "r.csv", "r.json")]
    with without_canonical():
        release_file(files[0], files[1], record=files[2], bit="poor", group="area", **asked)
    data = json.loads(files[2].read_text())
    by_epsilon = "epsilon" in asked
    assert data["format"] == "mechdesign-release/2"
    assert {design["format"] for design in data["designs"]} == {f"mechdesign-design/{2 if by_epsilon else 1}"}
    assert program.main([str(files[2]), str(files[1])]) == 0, capsys.readouterr()
    assert all(claim.true for claim in check_release(files[2], files[1]))
    del data["intervals"]
    data["format"] = "mechdesign-release/1"
    files[2].write_text(json.dumps(data))
    assert program.main([str(files[2])]) == (2 if by_epsilon else 0), capsys.readouterr()


def test_intervals_of_a_table_are_not_among_what_is_published_exactly(tmp_path, capsys):
    """Version 2 said so of its released counts; such records stay true to their version."""
    (tmp_path / "in.csv").write_text("area,size,count\na,2,1\nb,3,2\n")
    files = [tmp_path / name for name in ("in.csv", "r.csv", "r.json")]
    with without_canonical():
        release_file(files[0], files[1], record=files[2], column="count", size="size", alpha="1/2", intervals="0.9")
    data = json.loads(files[2].read_text())
    assert (data["format"], data["law"], data["values"]) == ("mechdesign-release/3", None, None)
    told = "these columns are published exactly and are not protected: area, size"
    assert f"{told}.\n" in data["statement"]
    assert program.main([str(files[2]), str(files[1])]) == 0, capsys.readouterr()
    assert all(claim.true for claim in check_release(files[2], files[1]))
    for key in ("law", "law_sizes", "values"):
        del data[key]
    data["format"] = "mechdesign-release/2"
    for more, verdict in (("", False), (", released, low, high, low_all", True)):
        old = data | {"statement": data["statement"].replace(told, told + more)}
        files[2].write_text(json.dumps(old))
        assert program.main([str(files[2]), str(files[1])]) == 0, capsys.readouterr()
        assert all(claim.true for claim in check_release(files[2], files[1])) == verdict
