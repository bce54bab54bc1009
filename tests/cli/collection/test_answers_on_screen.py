"""Labels and numbers beside one another: what goes where the terminal has no room for all."""

import pytest

from mechdesign_cli.showing.tables import print_answers

NAME = "a" * 30


@pytest.mark.parametrize(
    ("width", "label", "errors"), [(49, NAME, True), (48, NAME, False), (30, f"{'a' * 18}…", False)]
)
def test_spared_numbers_go_first_then_the_ends_of_labels(monkeypatch, capsys, width, label, errors):
    monkeypatch.setenv("COLUMNS", str(width))
    numbers = {"share": (7, ["0.5000", "0.2500"]), "+-": (6, ["0.1000", "0.2000"])}
    print_answers({"item": [NAME, "b"]}, numbers, ("+-",), 8)
    head, first, second, *explained = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert head == ["item", "share", *(["+-"] if errors else [])]
    assert first == [label, "0.5000", *(["0.1000"] if errors else [])]
    assert second == ["b", "0.2500", *(["0.2000"] if errors else [])]
    assert bool(explained) is errors
