"""FORMAT.md: its example is what it says, and its tables name the keys that are read."""

import json
import re
from pathlib import Path

import pytest

from mechdesign import DesignProblem, Model, design
from mechdesign.audits.audit import audit
from mechdesign.documents import parsing
from mechdesign.documents.document import design_document
from mechdesign.documents.storage import read_matrix
from mechdesign.verify import __main__ as program
from mechdesign.verify import document

PAGE = (Path(__file__).parents[1] / "FORMAT.md").read_text()


def section(title):
    return PAGE.split(f"\n{title}\n")[1].split("\n#")[0]


def keys(title):
    """The first column of a section's first table."""
    cells = re.findall(r"^\| ([^|]*) \|", section(title).split("\n\n**")[0], re.MULTILINE)
    return {key for cell in cells[2:] for key in re.findall(r"`(\w+)`", cell)}


def test_the_tables_list_the_keys_that_are_read():
    assert keys("## Design: `mechdesign-design/1`") == {*parsing.TOP, "x"} == {*document.TOP, "x"}
    tables = {"loss_matrix", "prior_weights"}
    for page in (
        {*parsing.PROBLEM, *tables, *(key for own in parsing.MODEL_KEYS.values() for key in own)},
        {*document.ASKED, *tables, *(key for own in document.OF_MODEL.values() for key in own)},
    ):
        assert keys("### `problem`") == page
    worst = design(DesignProblem(model=Model.ldp(3), alpha="1/2", loss="L1", aggregate="worst"))
    assert set(design_document(worst)["dual"]) == {"denominator", "rows", "prices", "prior"} <= keys("### `dual`")


def example():
    return json.loads(re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)[1])


@pytest.mark.parametrize("prices", [False, True])
def test_the_example_is_proved_by_both(prices, tmp_path):
    data = example()
    if prices:
        data["dual"] = json.loads(re.search(r"by prices: `(.*?)`", PAGE)[1])
    path = tmp_path / "example.json"
    path.write_text(json.dumps(data))
    assert audit(read_matrix(path).document).passed
    assert program.main([str(path)]) == 0
