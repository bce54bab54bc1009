"""Forms are made of the commands' fields, and what they say is of what stands in them."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import typer
from panels import open_panel
from watching import Watch

from mechdesign_cli.parsing import options
from mechdesign_cli.record import Command, function_of, option
from mechdesign_cli.studio.command_line import CommandLine
from mechdesign_cli.studio.options_table import find_command


class Scratch(Command):
    """A command that no panel knows."""

    loud: bool = option("In capital letters.", default=False)
    tone: str | None = option("How it is sung.", autocompletion=options.words("high", "low"))
    how_often: int = option("Times, instead of --tone.", default=3)
    where: list[str] | None = option("A place (repeatable).")

    def run(self) -> None:
        """Do nothing."""


PANELS = ("design", "prices", "check", "data", "noise", "oracles", "workloads", "ranges", "marginals", "collect")
FIELDS = """section => [...section.querySelectorAll("details.more")].map((more) => [...more.querySelectorAll("label")]
  .map((label) => [label.control.type, label.textContent, label.control.value]))"""


@pytest.mark.slow
def test_a_field_of_a_command_stands_in_every_form_of_it(page: Any, watch: list[Watch]) -> None:
    """All commands get the fields of a scratch command; no panel has a word on them."""
    app = typer.Typer()
    app.command()(function_of(Scratch))
    line = CommandLine(run=lambda _: 0, command=lambda _: typer.main.get_command(app), record=lambda _: Scratch)
    added = find_command("scratch", line).document()["options"]

    def answer(route: Any) -> None:
        document = route.fetch().json()
        for command in (entry for name, entry in document.items() if name.startswith("mechdesign ")):
            command["options"] += added
        route.fulfill(json=document)

    watch[0].allow("400")  # the server knows no such option
    page.route(lambda address: "/api/choices?of=mechdesign" in address, answer)
    expected = [
        ["checkbox", "LoudIn capital letters.", "on"],
        ["select-one", "Tone", ""],
        ["text", "How often", "3"],
        ["textarea", "Where", ""],
    ]
    for name in PANELS:
        forms = open_panel(page, name).evaluate(FIELDS)
        assert forms, name
        for form in forms:
            assert form[-4:] == expected, name
    panel = open_panel(page, "oracles")
    panel.get_by_text("More options").click()
    assert panel.get_by_text("Times, instead of tone.").is_visible()
    with page.expect_request("**/api/jobs") as asked:
        panel.get_by_label("Tone").select_option("low")
    (step,) = json.loads(asked.value.post_data)["steps"]
    assert {name: step["options"].get(name) for name in ("loud", "tone", "how-often", "where")} == {
        **{"loud": None, "tone": "low", "how-often": None, "where": None},
    }


def fail_oracles(panel: Any) -> str:
    panel.get_by_label("Epsilon", exact=True).fill("-1")
    panel.get_by_label("Epsilon", exact=True).press("Enter")
    return "Fraction of liars"


def fail_workloads(panel: Any) -> str:
    panel.get_by_text("How far to go").click()
    panel.get_by_label("Stop at a gap of").fill("2")
    panel.get_by_role("button", name="Design and prove").click()
    return "Items, k"


def fail_noise(panel: Any) -> str:
    panel.get_by_label("Noise, D").fill("x")
    panel.get_by_role("button", name="Design and prove").click()
    return "Variance, V"


def fail_ranges(panel: Any) -> str:
    panel.get_by_label("Last edge").fill("50")
    panel.get_by_role("button", name="Try it").click()
    return "Seed"


def fail_data(panel: Any) -> str:
    panel.get_by_label("Simulated releases", exact=True).fill("none")
    panel.get_by_role("button", name="Compare mechanisms").click()
    return "Seed of the simulations"


FAILURES: dict[str, Callable[[Any], str]] = {
    **{"oracles": fail_oracles, "workloads": fail_workloads, "noise": fail_noise, "ranges": fail_ranges},
    **{"data": fail_data},
}
"""What makes a panel refuse, and the field that is changed afterwards."""


@pytest.mark.slow
def test_a_message_goes_with_what_it_is_of(page: Any) -> None:
    for name, fail in FAILURES.items():
        panel = open_panel(page, name)
        other = fail(panel)
        complaint = panel.locator(".message.failed:visible, .field-error:visible")
        complaint.first.wait_for()
        assert complaint.count() == 1, name
        panel.get_by_label(other, exact=True).fill("7")
        assert complaint.count() == 0, name
