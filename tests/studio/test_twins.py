"""What the page and Python both know: forms offer names that commands take, and limits are within theirs."""

import re
from fractions import Fraction

from mechdesign import Privacy
from mechdesign.counts.error_metrics import KNOWN
from mechdesign.documents.storage import EXPORT_SUFFIXES
from mechdesign.mechanism.layered import LARGEST_MATRIX, MOST_PEOPLE
from mechdesign_catalog.systems.attributes.marginal_oracle import parse_domains
from mechdesign_catalog.systems.mean import MEAN_ORACLES
from mechdesign_catalog.systems.registry import parse_oracle
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle
from mechdesign_cli.app import COMMAND_LINE
from mechdesign_cli.python_text import PICTURES
from mechdesign_cli.studio.choices import SUGGESTIONS
from mechdesign_cli.studio.options_table import find_command
from mechdesign_studio.page_files import FOLDERS

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
    plain = dict(
        re.findall(r'(\w+): "([^"]*)"', re.search(r"const PLAIN = \{(.*?)\};", source("design_state.js"), re.DOTALL)[1])
    )
    options = find_command("solve", COMMAND_LINE).options
    for name in ("props", "loss", "aggregate"):
        assert options[name].default == plain[name]
    assert f"{plain['prior']} (the default)" in options["prior"].help
    assert set(plain) <= options.keys()


def test_errors_files_and_limits_are_those_of_the_commands():
    assert set(listed("panels/data.js", "METRICS")) <= set(KNOWN)
    suffixes = {text for text in listed("panels/code.js", "FORMATS") if re.fullmatch("[a-z]{3,5}", text)}
    assert {f".{suffix}" for suffix in suffixes - {"page"}} <= {*EXPORT_SUFFIXES, *PICTURES}
    limits = dict(re.findall(r"export const (\w+) = ([0-9e]+);", source("design/entering.js")))
    assert float(limits["MOST_PEOPLE"]) == MOST_PEOPLE
    assert int(limits["LARGEST_MATRIX"]) <= LARGEST_MATRIX
