"""The first panel: five scenes, whose numbers are those of designs at the slider's alpha."""

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from accessibility import serious_findings
from panels import open_panel
from running_studio import running_studio

from mechdesign import design, export, find_ties
from mechdesign.problem.privacy import rounded_up

SIZE, TRUTH = 9, 4
SCENES = ("Publish a count", "Drag privacy", "Ask for honesty", "See the proof", "Attack it")


def made(alpha: str, properties: str = "WH,CM") -> Any:
    found = design(n=SIZE - 1, alpha=alpha, properties=properties)
    return found, found.mechanism.matrix()


def shown(page: Any, scene: int) -> Any:
    """Open a scene, and return it once its numbers are there."""
    panel = page.locator("#panel-start")
    panel.get_by_role("button", name=SCENES[scene]).click()
    return panel.locator(".scene:visible")


def proof(page: Any) -> str:
    """What the fourth scene says, its fold opened."""
    scene = shown(page, 3)
    fold = scene.locator("details")
    assert fold.get_attribute("open") is None
    fold.locator("summary").click()
    return str(scene.inner_text())


def drag(page: Any, alpha: str) -> None:
    """Move the slider, and wait for the answer."""
    page.locator("#panel-start").get_by_label("Privacy", exact=True).evaluate(
        "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }", alpha
    )


def entry(page: Any, name: str) -> Any:
    """The field of alpha or epsilon."""
    return page.locator("#panel-start").get_by_label(name, exact=True)


def enter(page: Any, name: str, text: str) -> None:
    """Type alpha or epsilon, and press Enter."""
    entry(page, name).fill(text)
    entry(page, name).press("Enter")


def wrong(matrix: Any) -> float:
    return 1 - float(np.trace(matrix)) / SIZE


def rounded(share: float) -> int:
    return int(share * 100 + 0.5)


@pytest.mark.slow
class TestScenes:
    @pytest.mark.parametrize("alpha", ["0.75", "0.9"])
    def test_sentences_are_true_of_the_designs(self, page: Any, alpha: str) -> None:
        open_panel(page, "start")
        free, raw = made(alpha, "none")
        found, matrix = made(alpha)
        drag(page, alpha)
        near = rounded(float(matrix[TRUTH - 1 : TRUTH + 2, TRUTH].sum()))
        scene = shown(page, 1)
        scene.get_by_text(f"published as 3 to 5 in about {near} of 100 releases").wait_for()
        off = sum(abs(i - j) * matrix[i, j] for i in range(SIZE) for j in range(SIZE)) / SIZE
        text = scene.inner_text()
        assert f"wrong in about {rounded(wrong(matrix))} of 100 releases, and off by {off:.1f} on average" in text
        (stated,) = re.findall(r"at most a factor ([0-9]+\.[0-9]+)", text)
        factor = Fraction(stated)
        assert 1 / Fraction(alpha) <= factor <= 1 / Fraction(alpha) + Fraction(1, 100)
        scene = shown(page, 2)
        ends = rounded(float(raw[0, TRUTH] + raw[SIZE - 1, TRUTH]))
        says = "says 0 or 8 in about {} of 100 releases when the truth is 4, and 4 in about {} of 100."
        truth = rounded(float(raw[TRUTH, TRUTH]))
        scene.get_by_text(f"{says.format(ends, truth)} Would you publish this?").wait_for()
        prices = f"{100 * wrong(matrix):.1f} % of the numbers are wrong in place of {100 * wrong(raw):.1f} %"
        assert prices in scene.inner_text()
        assert free.score < found.score
        scene.get_by_role("switch", name="Honest").press("Space")
        ends = rounded(float(matrix[0, TRUTH] + matrix[SIZE - 1, TRUTH]))
        scene.get_by_text(
            f"With both rules the best mechanism {says.format(ends, rounded(float(matrix[TRUTH, TRUTH])))}"
        ).wait_for()
        text = proof(page)
        assert str(found.score) in text
        assert f"honesty, proves the bound {found.lower_bound}, which is the same number." in text
        loss = math.ceil(-1000 * math.log(float(alpha))) / 1000
        plain = shown(page, 3).locator(".verdict").inner_text()
        assert plain == (
            f"Where each count is equally likely, this mechanism is wrong in about {rounded(wrong(matrix))} of 100 "
            f"releases. No honest one with this privacy (alpha = {alpha}, epsilon = {loss:g}, rounded up) is then "
            "wrong less often."
        )
        assert not re.search("loss|prices|/", plain)
        assert found.score == wrong_exactly(found) * Fraction(9, 8)
        scene = shown(page, 4)
        scene.get_by_label("The published number").evaluate(
            "input => { input.value = '2'; input.dispatchEvent(new Event('input')); }"
        )
        ratio = matrix[2, TRUTH] / matrix[2, TRUTH - 1]
        scene.get_by_text(f"After a published 2 the odds of yes are about {ratio:.3g} times").wait_for()
        assert scene.get_by_text(f"{100 * ratio / (1 + ratio):.1f} %").is_visible()
        scene.get_by_label("The published number").evaluate(
            "input => { input.value = '8'; input.dispatchEvent(new Event('input')); }"
        )
        assert matrix[8, TRUTH] / matrix[8, TRUTH - 1] == pytest.approx(1 / float(alpha), abs=1e-12)
        scene.get_by_text(
            f"are about {1 / float(alpha):.3g} times those before. Whatever is published, they are"
        ).wait_for()
        scene.get_by_text(f"they are between {alpha} and {stated} times.").wait_for()
        assert entry(page, "alpha").input_value() == alpha
        assert entry(page, "epsilon").input_value() == rounded_up(Fraction(-math.log(float(alpha))))

    def test_the_first_picture_has_a_peak_and_the_third_scene_leads_to_more_privacy(self, page: Any) -> None:
        panel = open_panel(page, "start")
        assert entry(page, "alpha").input_value() == "0.6"
        column = made("0.6")[1][:, TRUTH]
        assert column[TRUTH] > 1.6 * column[TRUTH + 1] > 3 * column[0]
        scene = shown(page, 2)
        scene.get_by_text("Here the truth still comes at least as often as both ends.").wait_for()
        raw = made("0.6", "none")[1][:, TRUTH]
        assert raw[TRUTH] >= raw[0] + raw[-1]
        scene.get_by_role("button", name="With more privacy: alpha 0.9").click()
        scene.get_by_text("in about 69 of 100 releases when the truth is 4, and 4 in about 5 of 100.").wait_for()
        assert panel.get_by_label("Privacy", exact=True).input_value() == "0.9"
        assert "alpha=0.9&" in panel.get_by_role("link", name="Design yours", include_hidden=True).get_attribute("href")

    @pytest.mark.parametrize(
        ("alpha", "button"), [("0.3", "more"), ("0.85", "more"), ("0.86", "less"), ("0.9", "less"), ("0.95", "less")]
    )
    def test_the_third_scene_has_something_to_press_at_every_alpha(self, page: Any, alpha: str, button: str) -> None:
        open_panel(page, "start")
        drag(page, alpha)
        scene = shown(page, 2)
        goal = {"more": "0.9", "less": "0.5"}[button]
        scene.get_by_role("button", name=f"With {button} privacy: alpha {goal}").click()
        said = {"more": "The price of honesty: 85.8 %", "less": "honesty is free"}[button]
        scene.get_by_text(said).wait_for()
        assert entry(page, "alpha").input_value() == goal

    @pytest.mark.parametrize("asked", ["1", "0.1"])
    def test_epsilon_is_asked_by_number_and_stays_what_was_asked(self, page: Any, asked: str) -> None:
        panel = open_panel(page, "start")
        enter(page, "epsilon", asked)
        found = design(n=SIZE - 1, epsilon=asked, properties="WH,CM")
        factor = rounded_up(Fraction(math.exp(float(asked))), 3)
        panel.get_by_text(f"counts change by at most a factor {factor} (rounded up)").wait_for()
        assert entry(page, "epsilon").input_value() == asked
        assert math.exp(-float(asked)) - 1e-5 < float(entry(page, "alpha").input_value()) < math.exp(-float(asked))
        assert float(panel.get_by_label("Privacy", exact=True).input_value()) == round(math.exp(-float(asked)), 2)
        assert panel.get_by_label("Privacy", exact=True).get_attribute("aria-valuetext") == f"epsilon {asked}"
        shown(page, 1).get_by_text(f"change by at most a factor {factor}.").wait_for()
        text = proof(page)
        says = rf"privacy \(epsilon = {asked}\) is then wrong less often by more than one release in (\S+)\.\n"
        (most,) = re.findall(says, text)
        gap = (found.score - found.lower_bound) * Fraction(SIZE - 1, SIZE)
        assert gap < Fraction(1, int(most.replace(",", ""))) < Fraction(1, 10**8)
        (loss, bound) = re.findall(r"the loss (\S+), rounded up|None has less than (\S+):", text)
        assert (
            Fraction(bound[1])
            <= found.lower_bound
            < found.score
            <= Fraction(loss[0])
            < found.score + Fraction(1, 10**9)
        )
        assert f"No fraction is exp(-{asked}) itself" in text
        text = shown(page, 4).inner_text()
        low, high = re.findall(rf"between exp\(-{asked}\) and exp\({asked}\) times, so within (\S+) and (\S+)\.", text)[
            0
        ]
        assert float(low) <= math.exp(-float(asked)) < math.exp(float(asked)) <= float(high)
        assert "alpha" not in text
        link = panel.get_by_role("link", name="Design yours", include_hidden=True).get_attribute("href")
        assert f"epsilon={asked}&props=WH,CM" in link
        assert "alpha" not in link

    def test_alpha_is_asked_by_a_fraction_and_bad_numbers_are_told_beside_their_fields(self, page: Any) -> None:
        panel = open_panel(page, "start")
        enter(page, "alpha", "2/3")
        panel.get_by_text("change by at most a factor 1.5 (rounded up).").wait_for()
        assert entry(page, "epsilon").input_value() == "0.405466"
        shown(page, 3).get_by_text("this privacy (alpha = 2/3, epsilon = 0.406, rounded up)").wait_for()
        shown(page, 4).get_by_text("they are between 2/3 and 1.5 times.").wait_for()
        for name, bad in (("alpha", "1.7"), ("alpha", "half"), ("epsilon", "0"), ("epsilon", "")):
            enter(page, name, bad)
            field = entry(page, name).locator("xpath=ancestor::div[1]")
            field.get_by_text(
                re.compile(f"^{name} must be .*, got ({name}=)?{bad}\\. Shown is alpha = 2/3\\.$")
            ).wait_for()
            assert entry(page, name).get_attribute("aria-invalid") == "true"
            assert panel.locator(".message.failed:visible").count() == 0
        assert "alpha=2/3&" in panel.get_by_role("link", name="Design yours").get_attribute("href")
        enter(page, "epsilon", "0,5")
        panel.get_by_text("epsilon must be written with a point, as 0.5, got epsilon=0,5. Shown is").wait_for()
        shown(page, 0).get_by_text("Bars are what you published with alpha = 2/3, the marks").wait_for()
        drag(page, "0.7")
        shown(page, 4).get_by_text("they are between 0.7 and 1.43 times.").wait_for()
        assert panel.locator("[aria-invalid=true]").count() == 0

    def test_a_number_without_its_zero_is_taken_and_the_bars_name_it(self, page: Any) -> None:
        open_panel(page, "start")
        enter(page, "epsilon", ".1")
        shown(page, 0).get_by_text("Bars are what you published with epsilon = 0.1, the marks").wait_for()
        assert entry(page, "epsilon").input_value() == "0.1"

    @pytest.mark.parametrize("alpha", ["0.75", "0.5"])
    def test_the_seal_says_whether_others_are_as_good_in_the_words_of_the_command(self, page: Any, alpha: str) -> None:
        open_panel(page, "start")
        enter(page, "alpha", alpha)
        words = find_ties(n=SIZE - 1, alpha=alpha, properties="WH,CM").words
        shown(page, 3).get_by_text("The proof in numbers").click()
        shown(page, 3).get_by_text(f"{words.capitalize()} (proved). The score is this loss.").wait_for()

    def test_next_and_the_slider_keep_their_places(self, page: Any) -> None:
        panel = open_panel(page, "start")
        slider = panel.get_by_label("Privacy", exact=True)
        places = []
        for scene, alpha in zip(SCENES, ("0.6", "0.62", "0.9", "0.3", "0.95"), strict=True):
            shown(page, SCENES.index(scene))
            drag(page, alpha)
            button = panel.locator(".steps :is(.primary, .onward):visible").bounding_box()
            places.append((button["x"], button["y"], button["width"], slider.bounding_box()["width"]))
        assert len(set(places)) == 1

    def test_the_picture_of_a_step_comes_into_view_on_a_telephone(self, narrow_page: Any) -> None:
        narrow_page.set_viewport_size({"width": 320, "height": 640})
        narrow_page.emulate_media(reduced_motion="reduce")
        panel = open_panel(narrow_page, "start")
        panel.get_by_text("Nothing is published yet.").wait_for()
        panel.get_by_role("button", name="Next").click()
        narrow_page.wait_for_function("""() => {
            const picture = document.querySelector("#panel-start .scene:not([hidden]) .plot");
            const { top, bottom } = picture.getBoundingClientRect();
            return top > 0 && bottom <= innerHeight;
        }""")

    def test_forced_colours_keep_bars_and_marks(self, page: Any) -> None:
        page.emulate_media(forced_colors="active")
        open_panel(page, "start")
        scene = shown(page, 4)
        scene.get_by_text("50.0 %").wait_for()
        colour = "(one, of) => getComputedStyle(one)[of]"
        canvas = page.locator("body").evaluate(colour, "backgroundColor")
        for bar in scene.locator(".bar").all():
            assert bar.evaluate(colour, "backgroundColor") != canvas
        menu = [one.evaluate(colour, "borderLeftColor") for one in page.locator("#menu a").all()]
        assert menu[0] not in menu[1:]

    def test_honesty_is_free_where_it_is(self, page: Any) -> None:
        open_panel(page, "start")
        drag(page, "0.4")
        assert made("0.4")[0].score == made("0.4", "none")[0].score
        shown(page, 2).get_by_text("honesty is free").wait_for()
        assert "Would you publish" not in shown(page, 2).inner_text()
        text = proof(page)
        assert "privacy alone proves" in text
        assert "rules of honesty cost nothing here" in text

    def test_heights_compare_at_all_alphas(self, page: Any) -> None:
        open_panel(page, "start")
        scales = []
        for alpha in ("0.3", "0.95"):
            drag(page, alpha)
            near = rounded(float(made(alpha)[1][TRUTH - 1 : TRUTH + 2, TRUTH].sum()))
            scene = shown(page, 1)
            scene.get_by_text(f"published as 3 to 5 in about {near} of 100 releases").wait_for()
            scales.append(scene.locator(".plot-axes text[text-anchor=end]").all_text_contents())
        assert scales == 2 * [["0", "0.2", "0.4", "0.6"]]

    def test_what_is_published_comes_into_view_on_a_telephone(self, narrow_page: Any) -> None:
        narrow_page.emulate_media(reduced_motion="reduce")
        panel = open_panel(narrow_page, "start")
        panel.get_by_text("Nothing is published yet.").wait_for()
        panel.get_by_role("button", name="Publish", exact=True).click()
        panel.get_by_text("Publish again").wait_for()
        for part in (panel.get_by_text("Publish again"), panel.locator(".scene:visible .plot")):
            box = part.bounding_box()
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= 844

    def test_numbers_pile_up_to_the_column_and_more_come(self, page: Any) -> None:
        page.emulate_media(reduced_motion="reduce")
        panel = open_panel(page, "start")
        panel.get_by_text("Nothing is published yet.").wait_for()
        panel.get_by_role("button", name="Publish", exact=True).click()
        panel.get_by_text("Publish again").wait_for()
        panel.get_by_role("button", name="Publish 200 times").click()
        panel.get_by_text(re.compile("^Last published: [0-8]. Of 200 numbers, [0-9]+ were the truth.$")).wait_for()
        panel.get_by_role("button", name="Publish 200 times").click()
        panel.get_by_text("Of 400 numbers, ").wait_for()
        panel.get_by_text("As a table").first.click()
        panel.locator(".scene:visible tbody tr").first.wait_for()
        rows = panel.locator(".scene:visible tbody tr").all()
        counts = np.array([int(row.locator("td").first.inner_text()) for row in rows])
        assert counts.sum() == 400
        expected = 400 * made("0.6")[1][:, TRUTH]
        assert ((counts - expected) ** 2 / expected).sum() < 45  # chi-squared, 8 degrees of freedom: once in 10^6
        drag(page, "0.8")
        panel.get_by_text("Nothing is published yet.").wait_for()

    def test_every_scene_is_reached_by_next_and_has_no_fault(self, page: Any) -> None:
        panel = open_panel(page, "start")
        for scene in SCENES:
            assert panel.locator("[aria-current=step]").inner_text().endswith(scene)
            assert serious_findings(page) == []
            if scene != SCENES[-1]:
                panel.get_by_role("button", name="Next").click()
        drag(page, "0.8")
        panel.get_by_role("link", name="Design yours").click()
        page.locator("#panel-design").wait_for(state="visible")
        assert "alpha=0.8&props=WH,CM" in page.url


@pytest.mark.slow
def test_the_studio_opens_here_a_link_or_a_document_its_panel(browser: Any, tmp_path: Any) -> None:
    export(made("0.6")[0], tmp_path / "d.json")
    for arguments, fragment, panel in (
        ((), "", "start"),
        ((), "#n=5&alpha=0.5", "design"),
        ((tmp_path / "d.json",), "", "design"),
    ):
        with running_studio(tmp_path, *arguments) as studio:
            page = browser.new_page()
            page.goto(studio.address + fragment)
            page.locator(f"#panel-{panel}").wait_for(state="visible")
            page.close()


def wrong_exactly(found: Any) -> Fraction:
    right = sum(found.mechanism.fraction(k, k) for k in range(SIZE))
    return 1 - Fraction(right, SIZE)
