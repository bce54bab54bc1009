"""The page's frame: menu, links, history, themes, keyboard."""

from pathlib import Path
from typing import Any

import pytest
from accessibility import serious_findings
from panels import PANELS, THEMES, open_panel
from running_studio import running_studio
from watching import Watch


@pytest.mark.slow
class TestMenu:
    def test_every_panel_opens_by_its_link(self, page: Any) -> None:
        links = page.locator("nav a")
        assert links.count() == len(PANELS)
        for at, name in enumerate(PANELS):
            links.nth(at).click()
            heading = page.locator(f"#panel-{name} h1")
            heading.wait_for(state="visible")
            assert page.title() == f"{heading.inner_text()} · mechdesign studio"
            assert heading.inner_text().startswith(page.locator("nav a[aria-current=page]").inner_text())
            assert page.locator("main > section:visible").count() == 1

    def test_back_returns_to_the_panel_before(self, page: Any) -> None:
        open_panel(page, "check")
        open_panel(page, "ranges")
        page.go_back()
        page.locator("#panel-check").wait_for(state="visible")
        page.go_forward()
        page.locator("#panel-ranges").wait_for(state="visible")

    def test_every_panel_can_be_reached_by_keyboard(self, page: Any) -> None:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # skips to the panel
        assert page.evaluate("() => document.activeElement.id") == "title-start"
        page.locator("nav a").nth(4).focus()
        page.keyboard.press("Enter")
        page.locator("#panel-data").wait_for(state="visible")
        assert page.evaluate("() => document.activeElement.id") == "title-data"

    def test_a_narrow_page_opens_its_menu_by_a_button(self, narrow_page: Any) -> None:
        button = narrow_page.get_by_role("button", name="Menu")
        menu = narrow_page.get_by_role("navigation", name="Panels")
        assert not menu.is_visible()
        button.tap()
        assert button.get_attribute("aria-expanded") == "true"
        menu.get_by_role("link", name="Check").tap()
        narrow_page.locator("#panel-check").wait_for(state="visible")
        assert not menu.is_visible()


@pytest.mark.slow
class TestLinks:
    def test_the_token_leaves_the_address(self, page: Any) -> None:
        assert "token" not in page.url
        assert page.evaluate("() => document.cookie") == ""  # HttpOnly

    def test_what_is_no_design_is_left_out_and_said(self, page: Any) -> None:
        open_panel(page, "design")
        link = "#panel=code&n=6&alpha=0.8&prior=/etc/passwd&loss=costs.csv&alpha2=1&props=CM"
        page.evaluate("link => { location.hash = link; }", link)
        notice = page.get_by_role("alert").filter(has_text="no design")
        notice.wait_for()
        assert "prior=/etc/passwd, loss=costs.csv, alpha2=1" in notice.inner_text()
        line = page.get_by_role("region", name="Command line", exact=True)
        line.get_by_text("--n 6 --alpha 0.8 --props CM --json").wait_for()

    @pytest.mark.parametrize("text", ["<img src=x onerror=alert(1)>", "javascript:alert(1)"], ids=["markup", "script"])
    def test_markup_in_a_link_stays_text(self, page: Any, text: str) -> None:
        page.evaluate("text => { location.hash = `panel=check&loss=${encodeURIComponent(text)}`; }", text)
        notice = page.get_by_role("alert").filter(has_text="no design")
        notice.wait_for()
        assert text in notice.inner_text()
        assert notice.locator("img").count() == 0


@pytest.mark.slow
class TestTheme:
    def test_the_choice_outlives_a_reload(self, page: Any) -> None:
        def paper() -> Any:
            return page.evaluate("() => getComputedStyle(document.body.parentElement).backgroundColor")

        page.emulate_media(color_scheme="light")
        light = paper()
        page.get_by_label("Theme").select_option("dark")
        assert paper() != light
        page.reload()
        page.locator("#panel-start").wait_for(state="visible")
        assert paper() != light
        page.get_by_label("Theme").select_option("auto")
        assert paper() == light


@pytest.mark.slow
class TestForcedColours:
    def test_what_is_on_looks_otherwise_than_what_is_off(self, page: Any) -> None:
        page.emulate_media(forced_colors="active")
        panel = open_panel(page, "start")
        panel.get_by_role("button", name="Ask for honesty").click()
        switch = panel.get_by_role("switch", name="Honest")
        colour = "input => getComputedStyle(input).backgroundColor"
        off = switch.evaluate(colour)
        switch.check()
        page.wait_for_timeout(200)  # the knob moves
        assert switch.evaluate(colour) != off
        for theme in THEMES:
            page.emulate_media(forced_colors="active", color_scheme=theme)
            assert serious_findings(page) == []


@pytest.mark.slow
class TestPolicy:
    def test_nothing_but_the_studio_own_files_runs(self, page: Any, watch: list[Watch]) -> None:
        watch[0].allow("policy|Content Security Policy|net::ERR_")
        ran, broken = page.evaluate(INJECTED)
        assert ran == {"script": False, "handler": False, "style": False, "foreign": "refused"}
        assert broken == ["connect-src", "script-src-attr", "script-src-elem", "style-src-attr"]
        assert watch[0].foreign == []  # the policy stops a request before it is one


@pytest.mark.slow
class TestWindows:
    def test_ten_of_them_work_at_a_time(self, page: Any) -> None:
        pages = [page, *(page.context.new_page() for _ in range(9))]
        for number, one in enumerate(pages, start=2):
            one.goto(f"{page.url.partition('#')[0]}#panel=design&n={number}&alpha=0.5&props=none&loss=L0")
        for number, one in enumerate(pages, start=2):
            one.wait_for_function(ANSWERED, arg=f"n={number}&", timeout=20_000)

    def test_a_hidden_one_has_no_stream_and_gets_its_answers(self, page: Any) -> None:
        open_panel(page, "design", n=3, alpha="0.5")
        page.wait_for_function(ANSWERED, arg="n=3&")
        page.evaluate(HIDE)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        open_panel(page, "design", n=4, alpha="0.5")
        page.wait_for_function(ANSWERED, arg="n=4&", timeout=20_000)
        listening = [address for address in asked if "/events" in address]
        assert listening
        assert all(address.endswith("?once") for address in listening)


@pytest.mark.slow
class TestEnd:
    def test_the_page_says_that_the_studio_has_ended(self, browser: Any, tmp_path: Path) -> None:
        context = browser.new_context()
        page = context.new_page()
        with running_studio(tmp_path) as studio:
            page.goto(studio.address)
            open_panel(page, "design")
            page.wait_for_function("() => document.querySelector('.design-results')?.dataset.asked")
            assert page.locator("#connection").inner_text() == ""
        page.get_by_text("The studio has ended").wait_for()
        score = page.locator(".exact-score")
        assert score.get_attribute("title") == "score = 331/378"  # what was found stays
        context.close()


ANSWERED = "asked => document.querySelector('.design-results')?.dataset.asked?.includes(asked)"
HIDE = """() => {
  Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
INJECTED = """async () => {
  const found = { script: false, handler: false, style: false, foreign: "asked" };
  const rules = new Set();
  document.addEventListener("securitypolicyviolation", (event) => rules.add(event.violatedDirective));
  const script = document.createElement("script");
  script.textContent = "window.ranInline = true";
  const button = document.createElement("button");
  button.setAttribute("onclick", "window.ranHandler = true");
  button.setAttribute("style", "color: red");
  document.body.append(script, button);
  button.click();
  found.script = window.ranInline === true;
  found.handler = window.ranHandler === true;
  found.style = button.style.color === "red";
  await fetch("https://example.org/?data").catch(() => { found.foreign = "refused"; });
  button.remove();
  for (let tries = 0; tries < 100 && rules.size < 4; tries += 1) await new Promise((go) => setTimeout(go, 20));
  return [found, [...rules].sort()];
}"""
