"""The error that somebody can live with: it fills epsilon in, is said, follows the question, and goes with it."""

import math
import re
from typing import Any

import pytest
from design_panel import DesignPanel
from panels import held, open_panel

from mechdesign import calibrate, parse_workload
from mechdesign_catalog import calibrate_reports

pytestmark = pytest.mark.slow

FILLED = "([field, value]) => document.getElementById(field)?.value === value"


def epsilon_is(panel: Any, value: Any) -> None:
    """Wait until epsilon has this value."""
    field = panel.get_by_label("epsilon", exact=True).locator("visible=true")
    field.page.wait_for_function(FILLED, arg=[field.get_attribute("id"), f"{float(value):g}"])


def test_a_score_fills_epsilon_and_follows_the_design(page: Any) -> None:
    panel = DesignPanel(page, n=4, alpha="0.9", props="WH,CM", loss="L1")
    score = page.get_by_label("off by, mean ≤")
    score.fill("0.8")
    score.press("Enter")
    epsilon_is(page, calibrate(4, properties="WH,CM", loss="L1", score="0.8").upper)
    people = page.get_by_label("People in the group, n")
    people.fill("5")
    epsilon_is(page, calibrate(5, properties="WH,CM", loss="L1", score="0.8").upper)
    assert score.input_value() == "0.8"
    panel.settle("epsilon=")
    lower = calibrate(5, properties="WH,CM", loss="L1", score="0.8").lower
    said = rf"has it, on average over the counts; {float(lower):g} or less does not \(proved\)\.$"
    page.get_by_text(re.compile(rf"^With these rules epsilon = .* \(alpha about 0\.[0-9]+\) {said}")).wait_for()
    panel.fill("alpha", "0.9")
    page.wait_for_function("field => document.getElementById(field).value === ''", arg=score.get_attribute("id"))
    score.fill("2")
    score.press("Enter")
    page.get_by_text(
        re.compile("^Every epsilon reaches a score of 2 here: the uniform mechanism scores 1.9")
    ).wait_for()


def test_a_score_that_was_refused_is_asked_again_of_another_design_and_by_enter(page: Any) -> None:
    panel = DesignPanel(page, n=4, alpha="0.9", props="WH,CM", loss="L1")
    score, refusal = page.get_by_label("off by, mean ≤"), page.get_by_role("alert").filter(has_text="Every epsilon")
    score.fill("2")
    score.press("Enter")
    refusal.wait_for()
    with page.expect_request(lambda one: '"calibrate"' in (one.post_data or "")):
        score.press("Enter")
    page.get_by_label("People in the group, n").fill("8")
    epsilon_is(page, calibrate(8, properties="WH,CM", loss="L1", score="2").upper)
    assert not refusal.is_visible()
    panel.settle("epsilon=")
    page.go_back()  # to the design before: the score goes with its epsilon
    page.wait_for_function("field => document.getElementById(field).value === ''", arg=score.get_attribute("id"))


@pytest.mark.parametrize(("loss", "label", "within"), [("L0", "wrong in ≤", 0), ("L0:1", "off by 2+ in ≤", 1)])
def test_a_share_of_releases_fills_epsilon_and_goes_with_its_loss(
    page: Any, loss: str, label: str, within: int
) -> None:
    panel = DesignPanel(page, n=4, alpha="0.9", props="WH,CM", loss=loss)
    share = page.get_by_label(label)
    share.fill("10")
    share.press("Enter")
    page.get_by_text("The share must be above 0 and below 1, such as 10 % or 0.1, got 10.").wait_for()
    best = calibrate(4, properties="WH,CM", within=within, chance="0.9", prior="uniform")
    for text in ("10%", ".1"):
        share.fill(text)
        share.press("Enter")
        epsilon_is(page, best.upper)
        panel.settle("epsilon=")
        assert " (alpha about 0." in panel.section.locator(".design-facts h2").inner_text()
        assert "in 10.0 % (share \N{MULTIPLICATION SIGN} 5/4)" in panel.section.locator(".fact-line").inner_text()
        panel.fill("alpha", "0.9")
        panel.settle("alpha=0.9")
    assert share.input_value() == ""


def test_a_share_goes_from_one_loss_of_shares_to_another_and_no_further(page: Any) -> None:
    panel = DesignPanel(page, n=4, alpha="0.9", props="WH,CM", loss="L0")
    page.get_by_label("wrong in ≤").fill("20 %")
    page.get_by_label("wrong in ≤").press("Enter")
    epsilon_is(page, calibrate(4, properties="WH,CM", within=0, chance="4/5", prior="uniform").upper)
    panel.settle("epsilon=")
    panel.field("Loss").select_option("L0:1")
    found = calibrate(4, properties="WH,CM", within=1, chance="4/5", prior="uniform").upper
    epsilon_is(page, found)
    assert page.get_by_label("off by 2+ in ≤").input_value() == "20 %"
    panel.settle(f"epsilon={float(found):g}")
    line = panel.section.locator(".fact-line").inner_text()
    assert "off by more than 1 in 20.0 % (share \N{MULTIPLICATION SIGN} 5/4)" in line
    panel.field("Loss").select_option("L2")
    panel.settle("loss=L2")
    square = page.get_by_label("square ≤")
    assert square.input_value() == ""
    page.get_by_text(
        "20 % was a share of releases. Now: the mean squared distance that you can live with. Privacy stays as it is."
    ).wait_for()
    assert panel.field("epsilon").input_value() == f"{float(found):g}"
    panel.field("Loss").select_option("L1")
    panel.settle("loss=L1")
    assert page.get_by_text("was a share of releases").count() == 0
    page.get_by_label("off by, mean ≤").hover()
    page.get_by_text("Choose “off by 2+” or a mean at Loss.").wait_for()


def test_the_worst_case_asks_for_the_share_at_every_count(page: Any) -> None:
    DesignPanel(page, n=4, alpha="0.9", props="WH,CM", loss="L0", aggregate="worst")
    share = page.get_by_label("wrong in ≤")
    share.fill("1/8")
    share.press("Enter")
    epsilon_is(page, calibrate(4, properties="WH,CM", within=0, chance="7/8").upper)
    page.get_by_text(re.compile("^With these rules .* has it, whatever the count;")).wait_for()


def test_rules_and_the_prior_are_said_of_what_is_proved(page: Any) -> None:
    DesignPanel(page, n=4, alpha="0.9", props="none", loss="L1", prior="binomial:0.3")
    score = page.get_by_label("off by, mean ≤")
    score.fill("0.5")
    score.press("Enter")
    found = calibrate(4, loss="L1", score="0.5", prior="binomial:0.3")
    page.get_by_text(
        f"Without rules epsilon = {float(found.upper):g} (alpha about {math.exp(-found.upper):.3g}) has it, on average "
        f"over the prior; {float(found.lower):g} or less does not (proved)."
    ).wait_for()


def test_a_refused_number_has_a_line_of_its_own_until_a_design_fills_its_field(page: Any) -> None:
    panel = DesignPanel(page, n=4, alpha="0.9", props="WH,CM", loss="L1")
    before = [panel.field(name).bounding_box()["y"] for name in ("alpha", "Loss")]
    panel.fill("alpha", "0,5")
    told = page.get_by_text("alpha must be written with a point, as 0.5, got alpha=0,5. The last answer is for")
    assert told.bounding_box()["height"] < 50
    assert [panel.field(name).bounding_box()["y"] for name in ("alpha", "Loss")] == before
    assert told.get_attribute("id") in panel.field("alpha").get_attribute("aria-describedby")
    panel.fill("People in the group, n", "0")
    assert [panel.field(name).bounding_box()["y"] for name in ("alpha", "Loss")] == before
    panel.fill("People in the group, n", "4")
    panel.fill("alpha", ".5")
    panel.settle("alpha=0.5")
    assert not told.is_visible()
    with held(page, "jobs"):
        panel.fill("epsilon", ".4")
        panel.fill("alpha", "half")
        assert panel.field("alpha").get_attribute("aria-invalid") == "true"
    panel.settle("epsilon=0.4")
    assert panel.field("alpha").input_value().startswith("0.67032")
    assert panel.field("alpha").get_attribute("aria-invalid") is None


@pytest.mark.parametrize("name", ["oracles", "workloads"])
def test_a_standard_error_fills_epsilon(page: Any, name: str) -> None:
    panel = open_panel(page, name)
    kind = panel.get_by_label("Question" if name == "oracles" else "Queries", exact=True)
    kind.select_option("prefixes")
    panel.get_by_label("Items, k").fill("4")
    error = panel.get_by_label("Error you can live with")
    error.fill("0.02")
    error.press("Enter")
    found = calibrate_reports(parse_workload("prefixes", 4), error="0.02", users=10_000, mean=True)
    said = panel.get_by_text(re.compile(r"has it from epsilon = "))
    said.wait_for()
    assert said.inner_text().startswith(
        f"{found.reports.standing.name} has it from epsilon = {float(found.ends.upper):g} on."
    )
    assert f"With {float(found.too_little):g} or less no local mechanism has it." in said.inner_text()
    assert panel.get_by_label("Epsilon", exact=True).input_value() == f"{float(found.ends.upper):g}"
    panel.get_by_label("Items, k").fill("5")
    panel.get_by_label("Items, k").press("Enter")
    found = calibrate_reports(parse_workload("prefixes", 5), error="0.02", users=10_000, mean=True)
    panel.get_by_text(f"has it from epsilon = {float(found.ends.upper):g} on.").wait_for()
    panel.get_by_label("Epsilon", exact=True).fill("3")
    panel.get_by_label("Epsilon", exact=True).press("Enter")
    said.wait_for(state="detached")
    assert error.input_value() == ""
