"""The program beside the kernel proves the designs of a release record, and what follows from them."""

import json

import pytest
from microdata import write_people
from record_cases import RECORD_CASES

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
    assert "the record of a release; not looked at: the statement in words, the output, the input" in out
    assert "  proved  n = 2: all 13 claims of the design" in out
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
