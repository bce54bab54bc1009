"""The Design panel: what it shows is what the engine finds, for drags, keys, fingers and links."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from design_panel import DesignPanel
from panels import open_panel, saved
from running_studio import running_studio

from mechdesign import DesignProblem, Loss, Model, design, find_ties
from mechdesign.pages.words import certificate_sentences
from mechdesign.problem.privacy import rounded_up
from mechdesign_cli.app import run

pytestmark = pytest.mark.slow


def errors_of(found: Any) -> float:
    """The mean error of a design, where each count is equally likely."""
    matrix = found.mechanism.matrix()
    return sum(abs(i - j) * matrix[i][j] for i in range(len(matrix)) for j in range(len(matrix))) / len(matrix)


def ends_with(value: Fraction) -> re.Pattern[str]:
    return re.compile(f"= {re.escape(str(value))}$")


FIRST_POST_IS_SLOW = """() => {
    const quick = window.fetch;
    let posts = 0;
    window.fetch = async (address, options = {}) => {
        const isFirst = options.method === 'POST' && (posts += 1) === 1;
        if (isFirst) await new Promise(done => setTimeout(done, 500));
        return quick(address, options);
    };
}"""


class TestReading:
    def test_arrow_keys_read_the_exact_fractions(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="9/10", props="WH,CM", loss="L0")
        best = design(DesignProblem(4, "9/10", properties="WH,CM"))
        panel.map.focus()
        place = [0, 0]
        moves = {"Enter": (0, 0), "ArrowRight": (0, 1), "ArrowDown": (1, 0), "ArrowUp": (-1, 0), "ArrowLeft": (0, -1)}
        for key in ("Enter", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp"):
            page.keyboard.press(key)
            place = [place[0] + moves[key][0], place[1] + moves[key][1]]
            panel.read(f"Pr[output {place[0]} | input {place[1]}] = ")
            panel.read(ends_with(best.mechanism.fraction(*place)))
        for key, where in (
            ("End", (1, 4)),
            ("PageDown", (4, 4)),
            ("ArrowDown", (4, 4)),
            ("Home", (4, 0)),
            ("PageUp", (0, 0)),
        ):
            page.keyboard.press(key)
            panel.read(f"Pr[output {where[0]} | input {where[1]}]")

    def test_a_pointer_reads_and_a_click_chooses_a_column(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="9/10", props="none", loss="L0")
        best = design(DesignProblem(4, "9/10"))
        x, y = panel.cell(3, 1, 5)
        panel.map.hover(position={"x": x, "y": y})
        panel.read(ends_with(best.mechanism.fraction(3, 1)))
        panel.map.click(position={"x": x, "y": y})
        panel.section.get_by_role("heading", name="If the truth is 1").wait_for()
        panel.section.get_by_text("The column as a table").click()
        rows = panel.section.locator("tbody .exact-cell")
        rows.nth(4).wait_for()
        cells = rows.all_inner_texts()
        assert [Fraction(text) for text in cells] == [best.mechanism.fraction(i, 1) for i in range(5)]
        assert sum(map(Fraction, cells)) == 1

    def test_a_finger_reads_a_cell(self, narrow_page: Any) -> None:
        panel = DesignPanel(narrow_page, n=4, alpha="9/10", props="none", loss="L0")
        x, y = panel.cell(2, 4, 5)
        panel.map.tap(position={"x": x, "y": y})
        panel.read("Pr[output 2 | input 4] = ")

    def test_scales(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="1/2", props="none", loss="L0")
        least = min(value for row in design(DesignProblem(4, "1/2")).mechanism.matrix() for value in row)
        ends = panel.section.locator(".design-results .heat-key span")
        assert ends.first.inner_text() == "0"
        pixel = "() => document.querySelector('#panel-design .heat-canvas').toDataURL()"
        linear = page.evaluate(pixel)
        panel.section.get_by_role("radio", name="Logarithmic").check()
        assert float(ends.first.inner_text()) == pytest.approx(least, rel=1e-2)
        assert page.evaluate(pixel) != linear

    def test_words_and_landmarks_are_those_of_the_report(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="9/10", props="CM", loss="L0")
        best = design(DesignProblem(4, "9/10", properties="CM"))
        panel.section.locator(".seal").click()
        shown = panel.section.locator(".words").first.locator("li").all_inner_texts()
        assert shown == certificate_sentences(best)
        rows = dict(
            zip(
                [
                    text.split("\n")[0].split(" ")[0]
                    for text in panel.section.locator(".bars tbody th").all_inner_texts()
                ],
                panel.section.locator(".bars tbody .bar-text").all_inner_texts(),
                strict=True,
            )
        )
        assert rows["GM"].startswith("0.947369 = 18/19, wrong in 75.8 %: this design is ")
        assert rows["GM"].endswith("worse")
        geometric = panel.section.locator(".bars tbody th").filter(has_text="GM").inner_text()
        assert "it lacks CM, asked for here" in " ".join(geometric.split())
        wrong = 1 - sum(best.mechanism.fraction(i, i) for i in range(5)) / 5
        assert rows["This"] == f"{rounded_up(best.score)}, wrong in {float(100 * wrong):.1f} %"

    @pytest.mark.parametrize(
        ("n", "alpha", "options"),
        [
            (8, "0.75", {"props": "WH,CM", "loss": "L0"}),
            (5, "9/10", {"props": "none", "loss": "L1", "prior": "binomial:0.3"}),
        ],
    )
    def test_sentences_are_true_of_the_matrix(self, page: Any, n: int, alpha: str, options: dict[str, str]) -> None:
        panel = DesignPanel(page, n=n, alpha=alpha, **options)
        properties = "" if options["props"] == "none" else options["props"]
        rest = {name: options[name] for name in ("loss", "prior") if name in options}
        matrix = design(DesignProblem(n, alpha, properties=properties, **rest)).mechanism.matrix()
        size, truth = n + 1, (n + 1) // 2
        wrong = 1 - sum(matrix[i][i] for i in range(size)) / size
        off = sum(abs(i - j) * matrix[i][j] for i in range(size) for j in range(size)) / size
        near = sum(matrix[i][truth] for i in (truth - 1, truth, truth + 1))
        first, second, third = panel.section.locator(".people-words li").all_inner_texts()
        assert first == (
            f"A published count is wrong in {100 * wrong:.1f} % of releases, and off by {off:.1f} on average, "
            "where each count is equally likely."
        )
        assert second == f"A true {truth} is published as {truth - 1} to {truth + 1} in {100 * near:.1f} % of releases."
        stated = Fraction(third.removeprefix("The odds between neighbouring counts change by at most a factor ")[:-1])
        assert 1 / Fraction(alpha) <= stated < 1 / Fraction(alpha) + Fraction(1, 100)

    def test_a_thin_bar_shows_how_far_equally_good_mechanisms_reach(self, page: Any) -> None:
        panel = DesignPanel(page, n=8, alpha="0.75", props="WH,CM", loss="L0")
        group = panel.section.get_by_role("group", name="Mechanisms that are as good")
        group.get_by_text("Other mechanisms have the same score (proved). Over all of them:").wait_for()
        first, second = (" ".join(text.split()) for text in group.locator("li").all_inner_texts())
        ends = {one.name: one for one in find_ties(n=8, alpha="3/4", properties="WH,CM").ranges}
        low, high = float(ends["L1"].low), float(ends["L1"].high)
        assert first.startswith("off by: ")
        assert first.endswith(f" {low:.2f} to {high:.2f}")
        assert second.startswith("off by, squared: ")
        styles = "e => ['left', 'width'].map((name) => parseFloat(e.style[name]))"
        left, width = group.locator("li").first.locator(".range-band").evaluate(styles)
        assert (left, left + width) == pytest.approx((100 * low / (1.1 * high), 100 / 1.1), abs=1e-3)
        panel.fill("alpha", "0.5")
        panel.settle("alpha=0.5")
        group.get_by_text("No other mechanism at this alpha has this score (proved).").wait_for()
        assert group.locator("li").count() == 0
        assert not group.get_by_role("button").is_visible()

    def test_the_canonical_mechanism_is_one_press_away(self, page: Any) -> None:
        panel = DesignPanel(page, n=8, alpha="0.75", props="WH,CM", loss="L0")
        own, best = (errors_of(design(n=8, alpha="3/4", properties="WH,CM", then=then)) for then in ((), "canonical"))
        assert f"{own:.2f}" > f"{best:.2f}" == "1.92"  # as the README's picture has it
        panel.section.get_by_role("button", name="Take the canonical one").click()
        first = panel.section.get_by_role("group", name="Mechanisms that are as good").locator("li").first
        first.get_by_text(f"{best:.2f}", exact=True).wait_for()
        assert "off by 1.9 on average" in panel.section.locator(".people-words").first.inner_text()
        assert not panel.section.get_by_role("button", name="Take the canonical one").is_visible()
        panel.section.locator(".code-disclosure:visible summary").click()
        panel.section.locator(".code:visible pre", has_text="--then canonical").first.wait_for()

    @pytest.mark.parametrize("prior", ["binomial:1/3", "weights:1,2,3,4,5,4,3,2,9"])
    def test_under_a_prior_the_bar_and_its_number_are_of_that_prior(self, page: Any, prior: str) -> None:
        asked = {"n": 8, "loss": "L0", "prior": prior}
        panel = DesignPanel(page, alpha="0.75", props="F", **asked)
        group = panel.section.get_by_role("group", name="Mechanisms that are as good")
        group.get_by_text("Other mechanisms have the same score (proved). Over all of them:").wait_for()
        first = " ".join(group.locator("li").first.inner_text().split())
        found, ties = design(alpha="3/4", properties="F", **asked), find_ties(alpha="3/4", properties="F", **asked)
        weights = found.problem.prior.weights(9)
        own = sum(weights[j] * abs(i - j) * found.mechanism.fraction(i, j) for i in range(9) for j in range(9))
        low, high = float(ties.ranges[0].low), float(ties.ranges[0].high)
        assert first == f"off by, under the prior: {float(own):.2f} {low:.2f} to {high:.2f}"

    def test_bars_show_what_is_gained_and_what_is_lost(self, page: Any) -> None:
        panel = DesignPanel(page, n=8, alpha="9/10", props="CM", loss="L0")
        places = "e => ['marginLeft', 'width'].map((name) => parseFloat(e.style[name]))"
        bars = [one.evaluate(places) for one in panel.section.locator(".bar").all()]
        assert max(width for _, width in bars) > 60
        assert min(width for _, width in bars) < 10
        (lost, length), (own, _), *gained = bars  # the geometric mechanism has no CM, and a smaller score
        assert lost + length == pytest.approx(own, abs=1)
        assert all(left == pytest.approx(own, abs=1) for left, _ in gained)
        assert panel.section.get_by_text("A bar to the right is what this design gains, one to the left").is_visible()


class TestDrags:
    def test_twenty_quick_drags_give_the_last_answer(self, page: Any) -> None:
        panel = DesignPanel(page, n=8, alpha="0.9", props="WH,CM", loss="L1")
        alphas = [f"{value / 100:g}" for value in range(40, 60)]
        panel.drag(alphas)
        panel.settle("alpha=0.59&")
        best = design(DesignProblem(8, "0.59", properties="WH,CM", loss="L1"))
        assert panel.exact_score == f"score = {best.score}"
        assert "alpha = 59/100, epsilon = " in panel.privacy
        assert panel.field("alpha").input_value() == "0.59"
        page.go_back()  # a drag is one step of the history
        panel.settle("alpha=0.9&")
        assert panel.field("alpha").input_value() == "0.9"

    def test_a_request_that_is_slow_on_its_way_is_not_taken_for_the_newest(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="0.9", props="none", loss="L0")
        page.evaluate(FIRST_POST_IS_SLOW)
        panel.drag(["0.4", "0.5"])
        page.wait_for_timeout(1500)  # the slow one has come, whatever became of it
        panel.settle("alpha=0.5&")

    def test_alpha_and_epsilon_by_number(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="0.9", props="none", loss="L0")
        panel.fill("epsilon", "0.5")
        panel.settle("epsilon=0.5")
        asked = DesignProblem(4, epsilon="0.5")
        assert f"alpha = {asked.alpha}, epsilon = 0.5" in panel.privacy
        panel.fill("alpha", "2/3")
        panel.settle("alpha=2/3")
        assert panel.field("epsilon").input_value() == "0.405466"
        panel.fill("alpha", "1.7")
        error = panel.section.locator(".field-error:visible")
        error.wait_for()
        assert error.inner_text() == "alpha must be in (0, 1), got 1.7"
        assert "stale" in panel.section.locator(".design-results").get_attribute("class")

    def test_a_link_is_a_design_and_back_is_undo(self, page: Any) -> None:
        panel = DesignPanel(page, model="lldp", k=6, radius=2, alpha="1/2", props="RH,S", loss="L1", aggregate="worst")
        assert (
            panel.section.locator(".design-results h2")
            .first.inner_text()
            .startswith("LLDP, k = 6, radius 2, alpha = 0.5, RH, S")
        )
        assert panel.field("Loss kept small").input_value() == "worst"
        panel.fill("Items, k", "7")
        panel.settle("k=7")
        page.go_back()
        panel.settle("k=6")
        assert panel.field("Items, k").input_value() == "6"


class TestProperties:
    def test_what_follows_is_greyed_out_and_comes_back(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="0.9", props="none", loss="L0")
        panel.switch("WH").click()
        panel.switch("CM").click()
        panel.settle("props=WH,CM&")
        page.wait_for_function("() => document.querySelectorAll('.chip .switch input:disabled').length === 2")
        for name in ("WH", "CH"):
            assert panel.switch(name).is_disabled()
            assert panel.switch(name).is_checked()
        assert panel.section.get_by_text("follows from CM").count() == 2
        panel.switch("CM").click()
        panel.settle("props=WH&")
        page.wait_for_function("() => document.querySelectorAll('.chip .switch input:disabled').length === 0")
        assert panel.switch("WH").is_checked()
        assert not panel.switch("CH").is_checked()

    def test_what_clashes_is_named_on_its_switch(self, page: Any) -> None:
        panel = DesignPanel(page, n=8, alpha="0.9", props="WH:5/4,RM,OS:1/2", loss="L0")
        panel.fill("β of OS", "0.99")
        clashing = panel.section.locator(".switch.invalid")
        clashing.nth(1).wait_for()
        assert [text.split("\n")[1] for text in clashing.all_inner_texts()] == [
            *("clashes with OS:99/100", "clashes with WH:5/4"),
        ]
        failed = panel.section.locator(".messages .message.failed")
        failed.filter(has_text="infeasible at alpha = 0.9").wait_for()
        panel.switch("OS").click()
        panel.settle("props=WH:5/4,RM&")
        clashing.first.wait_for(state="detached")


class TestPriors:
    def test_a_prior_is_drawn_with_the_mouse(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="0.9", props="CM", loss="L0")
        panel.field("Loss kept small").select_option("weights")
        panel.settle("prior=weights:1,1,1,1,1")
        chart = panel.section.locator(".prior-chart")
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        page.mouse.move(box["x"] + 2, box["y"] + 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] * 0.6, steps=12)
        page.mouse.up()
        fields = panel.section.locator(".prior-fields input")
        weights = [int(fields.nth(j).input_value()) for j in range(5)]
        panel.settle(f"prior=weights:{','.join(map(str, weights))}")
        assert weights[0] > 80
        assert sorted(weights, reverse=True) == weights
        assert len(set(weights)) == 5
        best = design(DesignProblem(4, "0.9", properties="CM", prior=f"weights:{','.join(map(str, weights))}"))
        assert panel.exact_score == f"score = {best.score}"
        page.go_back()  # the whole stroke
        panel.settle("prior=weights:1,1,1,1,1")

    def test_a_prior_is_typed_without_a_pointer(self, page: Any) -> None:
        panel = DesignPanel(page, n=2, alpha="0.9", props="none", loss="L1", prior="weights:1,1,1")
        panel.section.get_by_label("Weight of input 1").focus()
        page.keyboard.press("Control+a")
        page.keyboard.type("12")
        page.keyboard.press("Enter")
        panel.settle("prior=weights:1,12,1")
        panel.section.get_by_label("Weight of input 0").fill("-3")
        page.keyboard.press("Tab")
        assert panel.section.get_by_text("Weight of 0: a whole number").is_visible()
        assert "weights:1,12,1" in panel.fragment
        panel.fill("People in the group, n", "4")  # the drawn line is kept
        panel.settle("prior=weights:1,7,12,7,1")

    def test_a_prior_is_drawn_with_a_finger(self, narrow_page: Any) -> None:
        panel = DesignPanel(narrow_page, n=2, alpha="0.9", props="none", loss="L1", prior="weights:100,100,100")
        chart = panel.section.locator(".prior-chart")
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        narrow_page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.5)
        panel.settle("prior=weights:100,4")
        assert re.search(r"weights:100,4[0-9],100", panel.fragment)

    def test_a_file_of_weights_never_stands_in_the_link(self, page: Any, tmp_path: Path) -> None:
        (tmp_path / "secret-prior.csv").write_text("0.5\n0.3\n0.2\n")
        panel = DesignPanel(page, n=2, alpha="0.9", props="none", loss="L1")
        panel.field("Loss kept small").select_option("file")
        panel.section.get_by_label("File of weights").set_input_files(tmp_path / "secret-prior.csv")
        best = design(DesignProblem(2, "0.9", loss="L1", prior="weights:5,3,2"))
        panel.section.get_by_title(f"score = {best.score}", exact=True).wait_for()
        assert "prior" not in panel.fragment
        assert "secret" not in page.url
        panel.field("Loss kept small").select_option("uniform")
        panel.section.get_by_title(f"score = {design(DesignProblem(2, '0.9', loss='L1')).score}", exact=True).wait_for()

    def test_a_loss_and_a_metric_from_files(self, page: Any, tmp_path: Path) -> None:
        table, far = (
            [["0", "1", "5"], ["2", "0", "1"], ["9", "3", "0"]],
            [["0", "1", "3"], ["1", "0", "2"], ["3", "2", "0"]],
        )
        (tmp_path / "loss.csv").write_text("\n".join(map(",".join, table)))
        (tmp_path / "far.csv").write_text("\n".join(map(",".join, far)))
        panel = DesignPanel(page, n=2, alpha="0.9", props="none", loss="L1")
        panel.field("Loss").select_option("file")
        panel.section.get_by_label("Loss matrix").set_input_files(tmp_path / "loss.csv")
        best = design(DesignProblem(2, "0.9", loss=Loss.from_matrix(table)))
        panel.section.get_by_title(f"score = {best.score}", exact=True).wait_for()
        panel.field("Model").select_option("metric")
        panel.section.get_by_label("Matrix of distances").set_input_files(tmp_path / "far.csv")
        best = design(DesignProblem(model=Model.metric(far), alpha="0.9", loss=Loss.from_matrix(table)))
        panel.section.get_by_title(f"score = {best.score}", exact=True).wait_for()
        assert panel.fragment == "#panel=design&n=2&alpha=0.9&props=none&loss=L1"


class TestMoreOptions:
    def test_a_field_of_the_command_is_asked_for_and_its_complaint_stands_beside_it(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="0.9", props="CM", loss="L0")
        panel.section.get_by_text("More options").click()
        with page.expect_response(lambda answer: '"then":' in (answer.request.post_data or "")) as answered:
            panel.field("Then").fill("L1\nL2")
            panel.field("Then").blur()
        assert "--then L1 --then L2" in answered.value.json()["lines"][0]
        panel.fill("Time limit", "soon")
        error = panel.section.locator(".field-error:visible")
        error.wait_for()
        assert error.inner_text().startswith("time limit must be")


class TestLargerDesigns:
    def test_a_long_one_asks_first_and_can_be_cancelled(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="0.9", props="WH,CM", loss="L1", aggregate="worst")
        panel.fill("People in the group, n", "300")
        offer = panel.section.locator(".offer")
        offer.wait_for()
        assert "about 4 min" in offer.inner_text()
        page.evaluate("() => scrollTo(0, document.body.scrollHeight / 2)")
        place = offer.bounding_box()
        assert page.evaluate("() => scrollY") > 300
        assert 0 < place["y"] < 900 - place["height"]
        results = panel.section.locator(".design-results")
        assert results.locator("h2").first.inner_text().startswith("n = 4,")
        page.wait_for_function("() => document.querySelector('.design-results.stale') !== null")
        panel.section.get_by_role("button", name="Design it").click()
        panel.section.get_by_role("button", name="Cancel").click()
        panel.section.get_by_text("Cancelled. What is shown is the last answer.").wait_for()
        panel.fill("People in the group, n", "5")
        panel.settle("n=5&")

    def test_one_of_some_seconds_begins_at_once_with_a_way_to_stop_it_in_sight(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="0.99", props="WH,CM", loss="L1")
        panel.fill("People in the group, n", "150")
        cancel = panel.section.get_by_role("button", name="Cancel")
        cancel.wait_for()
        assert not panel.section.locator(".offer").is_visible()
        page.evaluate("() => scrollTo(0, document.body.scrollHeight / 2)")
        assert page.evaluate("() => scrollY") > 300
        assert 0 < cancel.bounding_box()["y"] < 300
        cancel.click()
        panel.section.get_by_text("Cancelled. What is shown is the last answer.").wait_for()

    def test_a_large_one_shows_decimals(self, page: Any) -> None:
        panel = DesignPanel(page, n=160, alpha="0.9", props="none", loss="L0")
        panel.map.focus()
        page.keyboard.press("Enter")
        panel.read("Pr[output 0 | input 0] = 0.526316")  # 10/19
        page.keyboard.press("End")
        panel.read("Pr[output 0 | input 160] = ")
        assert panel.section.get_by_text("For so many inputs the page shows decimals.").is_visible()


class TestDownloads:
    def test_the_document_passes_check(self, page: Any, tmp_path: Path, capsys: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="0.9", props="WH,CM", loss="L0", prior="weights:1,2,3,2,1")
        path = saved(page, panel.section.locator("a.download", has_text="design.json"), tmp_path)
        assert run(["check", str(path), "--json"]) == 0
        assert all(claim["true"] for claim in json.loads(capsys.readouterr().out)["claims"])
        assert json.loads(path.read_text())["problem"]["prior_weights"] == ["1/9", "2/9", "1/3", "2/9", "1/9"]

    def test_a_link_leads_to_the_other_formats(self, page: Any) -> None:
        open_panel(page, "design", n=5)
        page.get_by_role("link", name="HTML report, CSV, NPZ, VIPR and pictures").click()
        page.get_by_role("heading", name="The design as a file").wait_for()
        assert "n=5" in page.url

    def test_the_studio_opens_a_document(self, browser: Any, tmp_path: Path) -> None:
        options = ["--n", "5", "--alpha", "2/3", "--props", "WH:11/10,RM", "--loss", "L1", "--prior", "binomial:1/3"]
        assert run(["solve", *options, "-o", str(tmp_path / "wm.json")]) == 0
        with running_studio(tmp_path, "wm.json") as studio:
            page = browser.new_context().new_page()
            page.goto(studio.address)
            page.wait_for_function(
                "() => location.hash.includes('n=5&alpha=2/3&props=WH:11/10,RM&loss=L1&prior=binomial:1/3')"
            )
            page.locator(".design-results h2", has_text="n = 5, alpha = 2/3, WH:11/10, RM").wait_for()
            page.context.close()


class TestLargeGroups:
    def test_beyond_512_people_a_law_is_shown(self, page: Any, tmp_path: Path) -> None:
        panel = DesignPanel(page, n=8, alpha="4/5", props="WH,CM", loss="L0")
        panel.fill("People in the group, n", "1000000")
        facts = page.locator(".law-facts")
        facts.filter(has_text="341333401/384000000 = 0.888890").wait_for(state="visible")
        text = " ".join(facts.inner_text().split())
        assert (
            "law the geometric mechanism but for the first and the last 4 rows; proved for every n from 11 on" in text
        )
        assert "gap 0 (exact: proved optimal for every n from 11 on)" in text
        assert page.locator(".design-results").is_hidden()
        law = saved(page, page.locator(".law-results").get_by_role("link", name="law.json"), tmp_path)
        assert run(["check", str(law), "--quiet"]) == 0
        panel.fill("People in the group, n", "8")
        panel.settle("n=8")
        assert page.locator(".law-results").is_hidden()


@pytest.mark.slow
@pytest.mark.parametrize("text", ["-3", "6.5", ""])
def test_a_bad_number_of_people_is_named_and_the_last_answer_stays(page: Any, text: str) -> None:
    panel = open_panel(page, "design", n=6, alpha="0.8")
    field = panel.get_by_label("People in the group, n")
    field.fill(text)
    field.press("Tab")
    panel.get_by_text(
        f"n must be a whole number from 1 to 1000000000, got n={text}. The last answer is for n = 6."
    ).wait_for()
    assert field.get_attribute("aria-invalid") == "true"
    field.fill("5")
    page.wait_for_function("() => location.hash.includes('n=5')")
    assert field.get_attribute("aria-invalid") is None


@pytest.mark.slow
def test_long_fractions_are_shown_as_decimals(page: Any) -> None:
    panel = DesignPanel(page, n=30, epsilon="0.7", props="WH,CM", loss="L1")
    field, best = panel.field("alpha"), design(n=30, epsilon="0.7", properties="WH,CM", loss="L1")
    exact = Fraction(str(field.get_attribute("title")).removeprefix("alpha = "))
    assert str(exact) in panel.privacy
    shown = Fraction(field.input_value())
    assert shown <= exact < shown + Fraction(1, 10**6)
    assert field.evaluate("input => input.scrollWidth <= input.clientWidth")
    assert len(str(best.score)) > 100
    own = panel.section.locator(".bars tbody tr.own .bar-text")
    assert own.inner_text().startswith(f"{rounded_up(best.score)}, off by ")
    panel.fill("alpha", "2/3")
    panel.settle("alpha=2/3")
    assert (field.input_value(), field.get_attribute("title")) == ("2/3", None)


@pytest.mark.slow
def test_epsilon_follows_alpha_and_no_older_answer_takes_it_back(page: Any) -> None:
    held: list[Any] = []
    page.route("**/api/jobs", lambda route: held.append(route))
    with page.expect_request("**/api/jobs"):
        panel = open_panel(page, "design", n=6, alpha="0.9")
    epsilon = panel.get_by_label("epsilon", exact=True)
    drag = """input => {
      input.value = "0.5";
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }"""
    panel.locator(".strip-privacy input[type=range]").evaluate(drag)
    assert epsilon.input_value() == "0.693148"
    for route in held:
        if '"alpha":"0.9"' in route.request.post_data:
            route.continue_()
    panel.get_by_text("alpha = 9/10, epsilon = 0.105361 (rounded up)").wait_for(state="attached")
    assert epsilon.input_value() == "0.693148"
