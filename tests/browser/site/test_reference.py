"""Every command, every option and every public name has its place in the reference."""

import importlib
import re
import zlib
from html import unescape
from pathlib import Path

import pytest

from mechdesign_cli.commands import SUMMARIES
from mechdesign_cli.group import load_command

PACKAGES = ("mechdesign", "mechdesign_catalog", "mechdesign_figures")
ENTRY = re.compile(r"^(\S+)\s+(\w+):(\S+)\s+-?\d+\s+(\S+)", re.MULTILINE)


@pytest.fixture(scope="module")
def inventory(site: Path) -> dict[tuple[str, str], str]:
    """The address of each object of the site, by its domain and name."""
    packed = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    return {(domain, name): address for name, domain, _, address in ENTRY.findall(zlib.decompress(packed).decode())}


def option_names(command: str) -> list[str]:
    """Options as they are typed, and arguments as the help shows them."""
    return [
        name
        for parameter in load_command(command).params
        for name in (
            [parameter.metavar + "..." * (parameter.nargs == -1)]
            if parameter.param_type_name == "argument"
            else parameter.opts
        )
    ]


@pytest.mark.parametrize("command", SUMMARIES)
def test_every_command_has_a_page_with_all_its_options(site, inventory, command):
    name_of_page = command.replace(" ", "-")
    page = (site / "reference" / "commands" / f"{name_of_page}.html").read_text()
    assert f"mechdesign {command}" in page
    assert SUMMARIES[command] in unescape(re.sub(r"<[^>]+>", "", page))
    for name in option_names(command):
        address = inventory["std", f"mechdesign-{name_of_page}.{name}"].replace(
            "$", f"mechdesign-{name_of_page}.{name}"
        )
        assert address.startswith(f"reference/commands/{name_of_page}.html#")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_an_entry(site, inventory, package):
    for name in importlib.import_module(package).__all__:
        address = inventory["py", f"{package}.{name}"]
        page, _, anchor = address.replace("$", f"{package}.{name}").partition("#")
        assert f'id="{anchor}"' in (site / page).read_text()


def test_each_of_the_four_parts_has_pages(site):
    for part in ("tutorials", "how-to", "reference", "explanation"):
        assert len(list((site / part).rglob("*.html"))) > 3
