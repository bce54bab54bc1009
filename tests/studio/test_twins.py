"""What the page and Python both know: forms offer names that commands take, and limits are within theirs."""

import re
from fractions import Fraction

import pytest

from mechdesign import Loss, Privacy
from mechdesign.audits.audit import AUDIT_LOSSES
from mechdesign.counts.error_metrics import KNOWN
from mechdesign.documents.storage import EXPORT_SUFFIXES
from mechdesign.mechanism.layered import LARGEST_MATRIX, MOST_PEOPLE
from mechdesign.problem.prior import Prior
from mechdesign.problem.properties import parse_properties
from mechdesign.releases.intervals import interval_confidence
from mechdesign.workloads.registry import FORMS, parse_named_workload
from mechdesign_catalog.datasets.counts import open_data
from mechdesign_catalog.datasets.descriptions import list_data_sets
from mechdesign_catalog.mechanisms.candidates import COUNT_FORMS, NAMED_DESIGNS
from mechdesign_catalog.systems.attributes.marginal_oracle import parse_domains
from mechdesign_catalog.systems.mean import MEAN_ORACLES
from mechdesign_catalog.systems.registry import parse_oracle
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle
from mechdesign_cli import endings
from mechdesign_cli.app import COMMAND_LINE
from mechdesign_cli.python_text import PICTURES
from mechdesign_cli.showing.messages import Kind
from mechdesign_cli.studio import facts
from mechdesign_cli.studio.choices import (
    COMPARED,
    CONFIDENCES,
    FORMATS,
    LAWS,
    LOSSES,
    METRICS,
    MODELS,
    SIDES,
    SUGGESTIONS,
    WORKLOADS,
)
from mechdesign_cli.studio.facts import LARGEST_WEIGHT, PARAMETERS
from mechdesign_cli.studio.options_table import find_command
from mechdesign_studio.page_files import FOLDERS

GOOD = {
    "n": ("8", "1000000"),
    "alpha": ("0.9", "9/10", "5e-1", ".5"),
    "epsilon": ("0.5", "1e-3", "1/3", ".1", "1."),
    "props": ("none", "all", "WH,CM", "WH:5/4,OS:0.99"),
    "loss": ("L0", "l2", "L0:1", "L1:3", "PB:0.9", "PB:1/3"),
    "prior": ("uniform", "binomial:0.3", "binomial:1/3", "weights:1,2,3"),
}
READ = {
    "n": int,
    "alpha": lambda text: Privacy(text, None),
    "epsilon": lambda text: Privacy(None, text),
    "props": parse_properties,
    "loss": Loss.parse,
    "prior": Prior.parse,
}

PRIVACY = Privacy(Fraction(1, 2))
ITEMS = 32


def source(name):
    (path,) = (folder / "js" / name for folder in FOLDERS if (folder / "js" / name).exists())
    return path.read_text(encoding="utf-8")


def listed(name, constant):
    """The texts of a list in a module."""
    text = re.search(rf"const {constant} = [\[{{]\n?(.*?)[\]}}];\n", source(name), re.DOTALL)[1]
    return re.findall(r'"([^"]+)"', text)


def test_oracles_that_are_suggested_are_oracles():
    for use, names in SUGGESTIONS.items():
        for name in names:
            if use in ("attributes", "tables"):
                text = name if ":k=" in name else f"{name}:k=2"
                assert parse_marginal_oracle(text, parse_domains("2,2"), PRIVACY) is not None
            elif use == "mean":
                assert name in MEAN_ORACLES
            else:
                assert parse_oracle(name, ITEMS, PRIVACY).k == ITEMS


def test_what_a_design_is_where_nothing_is_asked_is_what_the_command_does_by_itself():
    options = find_command("solve", COMMAND_LINE).options
    for name in ("props", "loss", "aggregate"):
        assert options[name].default == PARAMETERS[name]["plain"]
    assert f"{PARAMETERS['prior']['plain']} (the default)" in options["prior"].help
    assert set(PARAMETERS) <= options.keys()
    assert set(PARAMETERS["model"]["pattern"].split("|")) < set(options["model"].choices) == set(MODELS)
    assert set(PARAMETERS["aggregate"]["pattern"].split("|")) == set(options["aggregate"].choices)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_what_links_may_say_is_what_commands_read(name):
    """A good text is read, and a file is never named."""
    pattern, read = PARAMETERS[name]["pattern"], READ[name]
    for text in GOOD[name]:
        assert re.fullmatch(pattern, text), text
        read(text)
    for text in ("", "-1", "/etc/passwd", "a.csv", "../a", "0,9", "1 2", "<b>"):
        assert not re.fullmatch(pattern, text), text


def test_errors_files_and_limits_are_those_of_the_commands():
    assert set(METRICS) <= set(KNOWN)
    assert set(LOSSES) == set(AUDIT_LOSSES)
    assert {name.partition(":")[0] for name in FORMS} == {name.partition(":")[0] for name in WORKLOADS}
    for side in SIDES:
        assert parse_named_workload(f"grid:{side}2,{side}3", 6).k == 6
    for name, law in LAWS.items():
        assert open_data(f"{law['word']}:{law['value']}", people=8, seed=1) is not None
        assert name in {entry.name for entry in list_data_sets()}
    suffixes = {suffix for suffix, _, _ in FORMATS}
    assert {f".{suffix}" for suffix in suffixes - {"page"}} <= {*EXPORT_SUFFIXES, *PICTURES}
    assert all(interval_confidence(text, "intervals") for text, _ in CONFIDENCES if text)
    assert {*COMPARED} <= {*COUNT_FORMS, *NAMED_DESIGNS}
    assert facts.NO == endings.NO
    assert {*listed("parts/runner.js", "SIMULATING"), *listed("local/doubts.js", "DOUBTS")} <= {*Kind}
    assert PARAMETERS["n"]["most"] == MOST_PEOPLE
    assert PARAMETERS["k"]["most"] <= LARGEST_MATRIX
    assert str(LARGEST_WEIGHT + 1) == "1" + "0" * len(str(LARGEST_WEIGHT))
