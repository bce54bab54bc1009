"""Documents of every version: what is read from a file is written again, byte for byte."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from microdata import without_canonical, write_people

from mechdesign import DesignProblem, Model, design
from mechdesign.audits.reading import read_design
from mechdesign.documents.document import design_document
from mechdesign.documents.stored import proved_text
from mechdesign.laws.finding import design_law
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.releases.files import release_file
from mechdesign.releases.record_document import read_stored_record, record_text
from mechdesign.workload_designs import design_workload
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign_catalog.systems.designs.level_design import design_levels

DESIGNS = {
    "design/1 of counts": lambda: design(
        DesignProblem(4, "0.9", properties="WH,CM", prior="weights:6,3,1,1,1", loss="L1")
    ),
    "design/1 of items": lambda: design(DesignProblem(model=Model.lldp(5, 2), alpha="3/4", aggregate="worst")),
    "design/1 with a gap": lambda: design(DesignProblem(20, "1/10", loss="L1")),
    "design/2": lambda: design(DesignProblem(3, epsilon=1, properties="F")),
    "design/4": lambda: design(
        DesignProblem(5, "3/4", properties="CM"), then=("L1", "worst:L2", "weights:1,0,0,0,0,2:L1")
    ),
    "design/4 by epsilon": lambda: design(DesignProblem(5, epsilon=1, properties="CM"), then="L1"),
    "design/3 of layers": lambda: design_law(alpha="4/5", properties="WH,CM"),
    "design/3 by epsilon": lambda: design_law(epsilon=1, properties="WH", loss="L2"),
    "design/3 fair": lambda: design_law(alpha="4/5", properties="F"),
    "design/5": lambda: design_law(alpha="7/10", properties="CM", then=("L1", "L2")),
    "design/5 of GM": lambda: design_law(alpha="1/2", properties="CM", then="L2"),
    "design/5 by epsilon": lambda: design_law(epsilon="0.3", properties="CM", then="L1"),
    "workload/1": lambda: design_workload(WorkloadProblem(Prefixes(4), alpha="1/2")),
    "workload/2": lambda: design_workload(WorkloadProblem(Ranges(4), epsilon=1)),
    "workload/3": lambda: design_levels(WorkloadProblem(Ranges(60), epsilon=1)),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_is_read_and_written_again(name, tmp_path):
    path, text = tmp_path / "d.json", proved_text(design_document(DESIGNS[name]()))
    assert f'"mechdesign-{name.split()[0]}"' in text
    path.write_text(text)
    assert proved_text(design_document(read_design(path))) == text


@pytest.mark.parametrize("n", [7, 300])
def test_a_law_at_one_size_is_read_and_written_again(n, tmp_path):
    path, law = tmp_path / "law.json", design_law(alpha="1/2", properties="CM", loss="L1")
    path.write_text(proved_text(design_document(law, n)))
    assert proved_text(design_document(read_design(path), n)) == path.read_text()


COUNTS = {"bit": "poor", "alpha": "3/4", "loss": "L0"}
RELEASES = {
    "release/1": COUNTS,
    "release/2 for its intervals": {**COUNTS, "intervals": "0.95"},
    "release/2 for its loss": {**COUNTS, "loss": "L1"},
    "release/3": {"category": "poor=0/1", "epsilon": 1},
    "release/4": COUNTS,
}


@pytest.mark.parametrize("name", RELEASES)
def test_a_record_of_a_release_is_read_and_written_again(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people("people.csv", areas=6, largest=3)
    with nullcontext() if name == "release/4" else without_canonical():
        release_file("people.csv", "r.csv", record="r.json", group="area", seed=1, **RELEASES[name])
    text = Path("r.json").read_text()
    assert f'"mechdesign-{name.split()[0]}"' in text
    assert record_text(read_stored_record(Path("r.json")).record) == text
