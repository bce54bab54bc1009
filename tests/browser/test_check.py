"""The panel Check: files of any tool are audited, false claims are shown, and repairs pass the check."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import make_runner
from panels import open_panel, saved, saved_json

pytestmark = pytest.mark.slow
ROUNDED = " but for rounding, or the tolerance"
EXACT = ".card:not(.findings-within) > .findings-facts"
"""The facts of a matrix exactly as it is written, beside those within the precision of its digits."""

HEADLINE = "message warn headline"


@pytest.fixture
def mechdesign(capsys: Any) -> Any:
    return make_runner(capsys)


def checked(page: Any, path: Path) -> Any:
    panel = open_panel(page, "check")
    panel.locator("input[type=file]").first.set_input_files(path)
    panel.locator(".message.headline").first.wait_for(state="visible")
    return panel


def choose_again(page: Any, place: Any, path: Path) -> None:
    """Choose by a click, as people do, a file that may have the name of the one before."""
    with page.expect_file_chooser() as chooser:
        place.click()
    chooser.value.set_files(path)


def verdict(panel: Any) -> str:
    return str(panel.locator(".message.headline").first.inner_text())


def test_a_matrix_in_every_format(page: Any, tmp_path: Path) -> None:
    matrix = [[0.5, 0.25], [0.5, 0.75]]
    (tmp_path / "theirs.csv").write_text("0.5,0.25\n0.5,0.75\n")
    (tmp_path / "theirs.json").write_text(json.dumps(matrix))
    np.savez(tmp_path / "theirs.npz", np.array(matrix))
    np.save(tmp_path / "theirs.npy", np.array(matrix))
    for suffix in ("csv", "json", "npz", "npy"):
        panel = checked(page, tmp_path / f"theirs.{suffix}")
        facts = panel.locator(EXACT).first
        facts.get_by_text(f"theirs.{suffix}: 2 outputs x 2 inputs").wait_for(state="visible")
        assert verdict(panel).startswith("A matrix of exact distributions: epsilon is at most 0.693148.")
        assert "alpha = 0.5" in facts.inner_text()
        assert "every column sums to exactly 1" in facts.inner_text()


def test_one_row_for_each_input(page: Any, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("0.75,0.25\n0.5,0.5\n")
    panel = checked(page, tmp_path / "rows.csv")
    assert verdict(panel) == "The rows sum to 1, the columns do not."
    assert "choose “One row for each input” if" in panel.locator(EXACT).first.inner_text()
    panel.get_by_text("No cell is framed while the rows sum to 1").wait_for()
    panel.get_by_role("button", name="Read it with one row for each input").click()
    panel.get_by_text("every column sums to exactly 1").wait_for(state="visible")
    assert panel.get_by_label("One row for each input").is_checked()
    assert not panel.get_by_role("button", name="Read it with").is_visible()


def test_a_false_claim_then_a_repair_that_passes(page: Any, tmp_path: Path, mechdesign: Any) -> None:
    (tmp_path / "leaky.csv").write_text("1,0.5,0\n0,0.5,0\n0,0,1\n")
    panel = checked(page, tmp_path / "leaky.csv")
    infinite = "Output 0 proves that the count is not 2: this matrix is not private at any epsilon."
    assert verdict(panel) == f"{infinite} The rounding of the file does not explain it."
    panel.get_by_role("button", name="Repair").click()
    assert "give alpha or epsilon" in panel.get_by_role("alert").filter(visible=True).inner_text()
    panel.get_by_label("alpha", exact=True).fill("0.9")
    panel.get_by_label("WH: weak honesty").check()
    panel.get_by_text("FALSE", exact=True).wait_for(state="visible")
    assert panel.get_by_role("region", name="Your claims, each tested").is_visible()
    assert panel.get_by_text("output 0 is impossible for input 2").first.inner_text().startswith("infinite: ")
    assert "It cannot be made from the geometric mechanism" in panel.locator(EXACT).first.inner_text()
    assert panel.get_by_role("rowheader", name="columns are probabilities (sums exactly 1)").is_visible()
    panel.get_by_label("Loss that the repair is scored by").select_option("L1")
    panel.get_by_role("button", name="Repair").click()
    panel.get_by_role("heading", name="After the repair").wait_for(state="visible")
    panel.locator(".message", has_text="claims are true. Repaired for L1: score 0.166666667 -> ").wait_for()
    problem = saved_json(page, panel.get_by_role("link", name="repaired.json"), tmp_path)["problem"]
    assert (problem["alpha"], problem["properties"], problem["loss"]) == ("9/10", ["WH"], "L1")
    npz = saved(page, panel.get_by_role("link", name="repaired.npz"), tmp_path)
    for name in (tmp_path / "repaired.json", npz):
        assert mechdesign("check", name, "--alpha", "0.9", "--props", "WH").code == 0


def test_the_cells_that_make_a_claim_false_are_marked_and_named(page: Any, tmp_path: Path) -> None:
    (tmp_path / "truncated.csv").write_text("0.5263,0.4737,0.4263\n0.0474,0.0526,0.0474\n0.4263,0.4737,0.5263\n")
    panel = checked(page, tmp_path / "truncated.csv")
    panel.get_by_text("No cell is at fault.").wait_for()
    panel.get_by_label("alpha", exact=True).fill("0.9")
    panel.get_by_label("WH: weak honesty").check()
    panel.get_by_text("WH is false: 1 cell, such as output 1 for input 1.").wait_for()
    panel.get_by_text("2 of 6 pairs of neighbouring entries break alpha = 0.9; the worst is output 0").first.wait_for()
    panel.get_by_text("The rounding of the file explains both, taken alone.").wait_for()
    heat = panel.get_by_role("application", name="Heat map of the file")
    heat.focus()
    for key in ("Home", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    panel.locator(".heat-readout", has_text="Pr[output 1 | input 1] = 0.0526; makes WH false").wait_for()
    page.keyboard.press("ArrowLeft")
    assert panel.locator(".heat-readout").first.inner_text() == "Pr[output 1 | input 0] = 0.0474"
    for key in ("ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    assert (
        panel.locator(".heat-readout").first.inner_text() == "Pr[output 0 | input 1] = 0.4737; breaks alpha" + ROUNDED
    )


def boxes(panel: Any) -> list[tuple[str, str]]:
    """The verdict: the tone of each box, and its words."""
    shown = panel.locator(".message").filter(visible=True).all()
    return [(str(one.get_attribute("class")).split()[1], one.inner_text()) for one in shown]


def test_a_rounded_file_is_told_what_it_fits_and_a_zero_what_it_costs(page: Any, tmp_path: Path) -> None:
    right = "0.6667,0.3333,0.1667\n0.1667,0.3333,0.1667\n0.1667,0.3333,0.6667\n"
    (tmp_path / "right.csv").write_text(right)
    panel = checked(page, tmp_path / "right.csv")
    panel.get_by_label("alpha", exact=True).fill("0.5")
    panel.get_by_label("CM: column monotonicity").check()
    panel.locator(".headline", has_text="fits").wait_for()
    (first, fits), (second, written) = boxes(panel)
    assert (first, second) == ("good", "note")
    assert fits.startswith("To its digits the file fits alpha-DP with alpha = 0.5 and CM (column monotonicity).")
    assert "some matrix within 5.1e-05 of it in each entry has all of this at once, and columns that sum to 1." in fits
    assert written.endswith("alpha-DP with alpha = 0.5 is not exactly true, and epsilon is at most 0.693298.")
    assert panel.get_by_text("No cell has a frame: rounding, or the tolerance, explains each fault.").is_visible()
    claims = panel.get_by_role("region", name="Your claims, each tested")
    assert claims.locator(".tag").all_inner_texts() == ["but for rounding", "but for rounding", "true"]
    panel.get_by_label("alpha", exact=True).fill("")
    panel.get_by_label("CM: column monotonicity").uncheck()
    (tmp_path / "zero.csv").write_text(right.replace("0.1667\n", "0.0000\n", 1).replace("0.6667\n", "0.8333\n"))
    panel = checked(page, tmp_path / "zero.csv")
    panel.locator(".headline", has_text="not private").wait_for()
    ((tone, said),) = boxes(panel)
    assert (tone, "epsilon is at least " in said) == ("failed", True)
    assert said.startswith("As written, output 0 proves that the count is not 2: this matrix is not private at any")
    (tmp_path / "sum98.csv").write_text(right.replace("0.6667\n", "0.6467\n"))
    panel = checked(page, tmp_path / "sum98.csv")
    panel.locator(".headline", has_text="sums to").wait_for()
    assert [tone for tone, _ in boxes(panel)] == ["failed"]


def test_a_header_is_said_at_the_file_and_a_poor_repair_leads_to_a_design(page: Any, tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("a,b\n0.5,0.5\n0.5,0.5\n")
    panel = open_panel(page, "check")
    panel.locator("input[type=file]").first.set_input_files(tmp_path / "names.csv")
    panel.locator(".drop [role=alert]", has_text="a matrix file has no header line").first.wait_for(state="visible")
    (tmp_path / "geometric.csv").write_text("2/3,1/3,1/6\n1/6,1/3,1/6\n1/6,1/3,2/3\n")
    panel = checked(page, tmp_path / "geometric.csv")
    assert panel.locator(".drop [role=alert]").first.is_hidden()
    panel.get_by_label("alpha", exact=True).fill("0.5")
    panel.get_by_label("F: fairness").check()
    panel.get_by_text("F (fairness) is false: as at 2/3 (output 0, input 0) and 1/3 (output 1, input 1).").wait_for()
    panel.get_by_role("button", name="Repair").click()
    panel.get_by_role("heading", name="After the repair").wait_for(state="visible")
    assert page.evaluate("document.activeElement.textContent") == "After the repair"
    assert panel.get_by_text("A design from nothing scores better under L0: ").get_attribute("class") == HEADLINE
    panel.get_by_role("link", name="Design it from nothing").click()
    assert "panel=design&n=2&alpha=0.5&props=F" in page.url


def test_the_example_takes_the_name_of_the_file_before_it_away(page: Any, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("x\n1\n")
    panel = open_panel(page, "check")
    chooser = panel.locator("input[type=file]").first
    chooser.set_input_files(tmp_path / "one.csv")
    panel.get_by_text(", 1 column", exact=False).wait_for()
    assert "1 columns" not in panel.locator(".drop-state").first.inner_text()
    panel.locator(".message:visible").first.wait_for()
    panel.get_by_role("button", name="Try it with an example").click()
    panel.get_by_text("example.csv, 63 B").wait_for()
    assert chooser.input_value() == ""


def test_a_tampered_document_is_refused(page: Any, tmp_path: Path, mechdesign: Any) -> None:
    path = tmp_path / "wm.json"
    mechdesign("solve", "--n", 4, "--alpha", "0.9", "--props", "WH,CM", "-o", path)
    panel = checked(page, path)
    assert "claims are true." in verdict(panel)
    assert panel.get_by_role("region", name="Claims of the file, each tested").is_visible()
    assert not panel.get_by_label("One row for each input").is_visible()
    document = json.loads(path.read_text())
    document["weights"][0][0] = str(int(document["weights"][0][0]) + 1)
    path.write_text(json.dumps(document))
    choose_again(page, panel.locator("input[type=file]").first, path)
    panel.locator(".message.failed", has_text="FALSE: ").wait_for()
    assert panel.locator(".tag.bad").count() > 0
    path.write_text(path.read_text()[:200])
    choose_again(page, panel.locator("input[type=file]").first, path)
    alert = panel.get_by_role("alert").filter(visible=True)
    alert.wait_for(state="visible")
    assert "wm.json" in alert.inner_text()
    assert not panel.locator(".findings-facts").first.is_visible()


def test_the_record_of_a_release_and_its_counts(page: Any, tmp_path: Path, mechdesign: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    mechdesign("solve", "--n", 12, "--alpha", "0.9", "-o", "m.json")
    release = ("release", "--data", "saxony", "--mechanism", "m.json", "-o", "r.csv", "--record", "r.json")
    assert mechdesign(*release, "--seed", 1).code == 0
    panel = checked(page, tmp_path / "r.json")
    assert verdict(panel).startswith("This is the record of a SIMULATION, which protects nobody.")
    assert not panel.get_by_role("button", name="Repair").is_visible()
    counts = panel.locator("input[type=file]").nth(1)
    counts.set_input_files(tmp_path / "r.csv")
    panel.get_by_text("the output has the record's digest").wait_for(state="visible")
    assert "FALSE" not in verdict(panel)
    Path("r.csv").write_text(Path("r.csv").read_text() + "1\n")
    choose_again(page, counts, tmp_path / "r.csv")
    panel.locator(".message.headline").first.filter(has_text="FALSE").wait_for(state="visible")


def test_the_document_of_a_law(page: Any, tmp_path: Path, mechdesign: Any) -> None:
    law = tmp_path / "law.json"
    assert mechdesign("solve", "--n", "any", "--alpha", "0.8", "--props", "WH,CM", "--output", str(law), "-q").code == 0
    assert verdict(checked(page, law)) == "All 14 claims are true."
