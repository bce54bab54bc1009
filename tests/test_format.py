"""FORMAT.md: its example is what it says, and its tables name the keys that are read."""

import hashlib
import hmac
import json
import math
import re
import sqlite3
from contextlib import closing
from dataclasses import fields
from fractions import Fraction
from pathlib import Path

import pytest
from two_checkers import PROVED, by_engine, by_program

from mechdesign import DesignProblem, Model, design
from mechdesign.audits.audit import audit
from mechdesign.documents.document import design_document
from mechdesign.documents.storage import read_matrix
from mechdesign.laws.finding import design_law
from mechdesign.ledgers.entry import Charge, EntryState
from mechdesign.ledgers.ledger import Ledger
from mechdesign.verify import __main__ as program
from mechdesign.verify import certificates, document, laws, level_design, noise_table, row_design, table_release
from mechdesign.verify.formulas import program as formula_program
from mechdesign.verify.formulas import reading
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.servers.collecting import collect

PAGE = (Path(__file__).parents[1] / "FORMAT.md").read_text()


def section(title):
    return PAGE.split(f"\n{title}\n")[1].split("\n#")[0]


def keys(title):
    """The first column of a section's first table."""
    cells = re.findall(r"^\| ([^|]*) \|", section(title).split("\n\n**")[0], re.MULTILINE)
    return {key for cell in cells[2:] for key in re.findall(r"`(\w+)`", cell)}


def test_the_tables_list_the_keys_that_are_read():
    assert keys("## Design: `mechdesign-design/1`") == {*document.TOP, "x"}
    tables = {"loss_matrix", "prior_weights"}
    of_models = (key for own in document.OF_MODEL.values() for key in own)
    assert keys("### `problem`") == {*document.ASKED, *tables, *of_models}
    worst = design(DesignProblem(model=Model.ldp(3), alpha="1/2", loss="L1", aggregate="worst"))
    assert set(design_document(worst)["dual"]) == {"denominator", "rows", "prices", "prior"} <= keys("### `dual`")


def keys_of(kind):
    """Those of a certificate of a kind."""
    layout = certificates.LAYOUTS[kind]
    return {*layout.head, *layout.arrays}


def test_the_tables_of_laws_list_the_keys_that_are_read():
    assert keys("## Law: `mechdesign-design/3`") == {*laws.TOP, "excess", "x"}
    assert keys("### `problem` of a law") == {*laws.ASKED, *document.BY_EPSILON}
    assert keys("### `mechanism` of a law") == {"kind", *laws.OF_LAYER, "slopes", "remap"}
    assert keys("### `dual` of a law") == keys_of(certificates.LAYER)


def test_the_table_of_further_respects_of_a_law_lists_the_keys_that_are_read():
    assert keys("### A law that is best in further respects: `mechdesign-design/5`") == {*laws.OF_STAGE}
    staged = design_document(design_law(alpha="1/2", then="L1"))["stages"]
    assert [set(stage) for stage in staged] == [set(laws.OF_STAGE)]


def test_the_example_of_a_law_is_proved(tmp_path):
    path = tmp_path / "law.json"
    path.write_text(re.search(r"```json\n(.*?)```", section("### A law to check by hand"), re.DOTALL)[1])
    assert by_program(path) == PROVED


def test_the_tables_list_what_a_design_asked_by_epsilon_has_besides():
    more = keys("### Asked by epsilon: `mechdesign-design/2`")
    assert more == {"alpha", *document.BY_EPSILON}
    asked = design_document(design(DesignProblem(2, epsilon=1)))["problem"]
    given = design_document(design(DesignProblem(2, "1/2")))["problem"]
    assert set(asked) - set(given) == set(document.BY_EPSILON)


def test_the_table_of_stages_lists_the_keys_that_are_read():
    title = "### Best in further respects: `mechdesign-design/4`"
    assert keys(title) == {*document.OF_STAGE, "loss_matrix", "prior_weights"}
    assert set(re.findall(r"^\| `(\w+)` \|", section(title).split("key of `single`")[1], re.MULTILINE)) == {
        *document.OF_SINGLE
    }
    staged = design_document(design(DesignProblem(2, "1/2"), then=("L1", "worst:L2")))
    assert [set(stage) for stage in staged["stages"]] == [set(document.OF_STAGE)] * 2


def example():
    return json.loads(re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)[1])


def test_the_tables_of_workload_designs_list_the_keys_that_are_read():
    title = "## Workload design: `mechdesign-workload/1`"
    assert keys(title) == {*row_design.TOP, "x"}
    assert keys("### `problem` of a workload") == {*row_design.ASKED, "queries"}
    assert keys("### `certificate`") == set().union(*map(keys_of, row_design.KINDS))


def test_the_tables_of_designs_of_levels_list_the_keys_that_are_read():
    text = section("## Design of levels: `mechdesign-workload/3`")
    parts = (set(re.findall(r"^\| (`.*?`) \|", part, re.MULTILINE)) for part in re.split(r"\| key of a level", text))
    top, circle, line = ({key for cell in part for key in re.findall(r"`(\w+)`", cell)} for part in parts)
    of_circle = {field.name for kind in (level_design.BlockEntry, level_design.RowEntry) for field in fields(kind)}
    assert top == {*level_design.TOP, "x"}
    assert circle == of_circle
    assert line == {field.name for field in fields(level_design.WarpedEntry)}


def test_the_example_of_a_design_of_levels_is_proved(tmp_path):
    path = tmp_path / "levels.json"
    path.write_text(re.search(r"```json\n(.*?)```", section("### A design of levels to check by hand"), re.DOTALL)[1])
    assert by_program(path) == PROVED


@pytest.mark.parametrize("levels", [False, True])
def test_the_example_of_a_workload_design_is_proved_by_both(levels, tmp_path):
    text = section("### A workload design to check by hand")
    data = json.loads(re.search(r"```json\n(.*?)```", text, re.DOTALL)[1])
    if levels:
        data["certificate"] = json.loads(re.search(r"By levels: `(.*?)`", text)[1])
    path = tmp_path / "example.json"
    path.write_text(json.dumps(data))
    assert by_engine(path) == by_program(path) == PROVED


@pytest.mark.parametrize("prices", [False, True])
def test_the_example_is_proved_by_both(prices, tmp_path):
    data = example()
    if prices:
        data["dual"] = json.loads(re.search(r"by prices: `(.*?)`", PAGE)[1])
    path = tmp_path / "example.json"
    path.write_text(json.dumps(data))
    assert audit(read_matrix(path).document).passed
    assert program.main([str(path)]) == 0


def test_the_ledgers_tables_list_what_is_written(tmp_path):
    book = Ledger.new(tmp_path / "office.db", 1)
    with closing(sqlite3.connect(book.path)) as connection:
        (header,) = connection.execute("SELECT text FROM header").fetchone()
        columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(entries)")]
        assert connection.execute("PRAGMA application_id").fetchone() == (0x6D646C67,)
    own, entries = section("## Ledger: `mechdesign-ledger/3`").split("An entry is a row")
    assert re.findall(r"^\| `(\w+)` \|", own, re.MULTILINE) == list(json.loads(header))
    assert re.findall(r"^\| `(\w+)` \|", entries, re.MULTILINE) == columns
    (states,) = re.findall(r"^\| `state` \| (.*) \|$", entries, re.MULTILINE)
    assert re.findall(r"`(\w+)`[:.]", states) == list(EntryState)


def test_a_ledger_is_added_up_by_its_page_alone(tmp_path):
    """By SQLite, JSON and HMAC of the standard library, and logarithms."""
    book = Ledger.new(tmp_path / "office.db", 9)
    for part, alpha in (("", "1/2"), ("north", "1/3"), ("north", "1"), ("s\u00fcd", "1/5")):
        book.account("set", part=part).reserve(Charge("release", Fraction(alpha)))
    book.settle(4, EntryState.CANCELLED)
    with closing(sqlite3.connect(book.path)) as connection:
        connection.row_factory = sqlite3.Row
        header = json.loads(connection.execute("SELECT text FROM header").fetchone()[0])
        rows = [dict(row) for row in connection.execute("SELECT * FROM entries ORDER BY number")]
    for row in (header, *rows):
        stated = row.pop("digest")
        text = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        assert hmac.new(bytes.fromhex(header["key"]), text.encode(), "sha256").hexdigest() == stated
    got = dict.fromkeys(("", "north", "süd"), 1.0)
    for row in rows:
        for part in got:
            if row["state"] != "cancelled" and row["part"] in ("", part):
                got[part] *= float(Fraction(row["alpha"]))
    low, high = map(float, book.balances()[0].epsilon)
    assert low == pytest.approx(-math.log(min(got.values()))) == high


def test_the_tables_of_states_list_their_keys():
    reports = privatize(["yes"], "grr", epsilon=1, domain=["yes", "no"])
    body = json.loads(collect(reports).to_bytes().partition(b"\n")[0])
    assert keys("## State: `mechdesign-state/2`") == set(body)
    assert keys("### `provenance`") == set(body["provenance"])


def test_the_tables_of_noise_tables_list_the_keys_that_are_read():
    assert keys("## Noise table: `mechdesign-noise-table/1`") == {*noise_table.TOP, "x"}
    assert keys("### `problem` of a noise table") == set(noise_table.ASKED)
    assert keys("### `dual` of a noise table") == keys_of(certificates.NOISE)
    assert keys("## Record of tables: `mechdesign-table-release/1`") == {*table_release.TOP, "x"}


def test_the_example_of_a_noise_table_is_proved(tmp_path):
    path = tmp_path / "table.json"
    path.write_text(re.search(r"```json\n(.*?)```", section("### A noise table to check by hand"), re.DOTALL)[1])
    assert by_program(path) == PROVED


def test_the_tables_of_formulas_list_the_keys_that_are_read():
    def names(title):
        tables = re.findall(r"(?:^\|.*\n)+", section(title), re.MULTILINE)
        firsts = (re.findall(r"^\| ([^|]*) \|", table, re.MULTILINE)[2:] for table in tables)
        return [{key for cell in cells for key in re.findall(r"`(\w+)`", cell)} for cells in firsts]

    assert names("## Formula: `mechdesign-formula/1`") == [{*reading.TOP, "x"}, {*reading.OF_END}]
    piece, part, dual, _kinds = names("### A piece")
    assert (piece, part) == ({*reading.OF_PIECE}, {*reading.OF_PART})
    assert dual == {*reading.OF_DUAL, reading.OF_WORST_CASE}
    asked = {*re.findall(r"`(\w+)`", section("### `problem` of a formula").split("\n\n")[0])}
    of_models = {key for own in formula_program.OF_MODEL.values() for key in own}
    assert asked - {"metric", "distances", "unit"} == {
        *(set(document.ASKED) - {"alpha", "epsilon"}),
        *{"loss_matrix", "prior_weights"},
        *of_models,
    }


def test_the_example_of_a_formula_is_proved(tmp_path):
    path = tmp_path / "formula.json"
    path.write_text(re.search(r"```json\n(.*?)```", section("### A formula to check by hand"), re.DOTALL)[1])
    assert by_program(path) == PROVED


def test_the_noises_of_cells_follow_the_text():
    """Made from the words of the page alone."""
    text = section("### A noise table to check by hand")
    rows = json.loads(re.search(r'"rows": (\[.*\]), "denominator"', text)[1])
    digest = hashlib.sha256(json.dumps([rows, "4"], separators=(",", ":")).encode()).hexdigest()
    key = hmac.digest(bytes(range(32)), b"mechdesign-table-secret/1/noise", "sha256")
    listed = re.findall(
        r"^\| `(\[.*\])` \| (-?[0-9]) \|$", section("## Record of tables: `mechdesign-table-release/1`"), re.MULTILINE
    )
    assert len(listed) == 5
    for cell, noise in listed:
        message = json.dumps(
            ["mechdesign-table-release/1", digest, "test", "0" * 64, json.loads(cell)], separators=(",", ":")
        )
        u = int.from_bytes(hmac.digest(key, message.encode(), "sha256"), "big")
        sums = {-1: 1, 0: 3, 1: 4}
        assert int(noise) == min(v for v, total in sums.items() if u * 4 < 2**256 * total)
