"""Oracles by their texts, titles, constants and published numbers, and those of other installed packages."""

import json
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import pytest
from command_line import make_runner
from wording import refused

from mechdesign import InputError, Privacy
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.reference.messages import reference_message
from mechdesign_catalog.systems import make_oracle, oracle_of, parse_oracle
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.installed import installed_names
from mechdesign_catalog.systems.registry import FLAT_ORACLES, ORACLES, READABLE
from mechdesign_catalog.systems.tables.registry import MARGINAL_CLASSES, parse_marginal_oracle
from mechdesign_catalog.testing import check_oracle


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("hrr:t=3", "hrr", {"t": 3}),
        ("dbitflip:d=4", "dbitflip", {"d": 4}),
        ("ss:size=2", "ss", {"size": 2}),
        ("olh:hash_bits=5", "olh", {"hash_bits": 5}),
        ("hcms:hashes=3:width=4:seed=8", "hcms", {"hashes": 3, "width": 4, "seed": 8}),
        ("rappor:p=0.25:q=0.75", "rappor", {"p": Fraction(1, 4), "q": Fraction(3, 4)}),
        ("rappor:p=0:q=1", "rappor", {}),
        (" FLAT: grr ", "grr", {}),
        ("flat:design:none:L0", "design:none:L0", {}),
    ],
)
def test_options_are_read(text, name, options):
    assert parse_oracle(text, 9, Privacy(epsilon="1")) == make_oracle(name, 9, Privacy(epsilon=1), **options)


@pytest.mark.parametrize(
    "text",
    [
        "hrr:t=2.5",
        "dbitflip:d=two",
        "ss:size=1e1",
        "hcms:hashes=2^4",
        "rappor:p=a:q=1",
        "flat:",
        "flat: flat:grr",
        "flat:hh:b=2",
        "flat",
        "flat:gr",
        "flat:onebitmean",
        "hcms:seed_=1",
        "hrr:3",
    ],
)
def test_other_options_are_refused(text):
    with refused(InputError):
        parse_oracle(text, 9, Privacy(epsilon="1"))


def test_a_flat_mechanism_is_read_from_its_file(tmp_path):
    file = tmp_path / "m.csv"
    file.write_text("0.75,0.25\n0.25,0.75\n")
    assert parse_oracle(f"flat:{file}", 2, None) == parse_oracle(str(file), 2, None)


@dataclass(frozen=True)
class Reserved(Grr):
    """An oracle with an option that Python reserves, and one that is a method as well."""

    in_: str = "one"
    estimate_: int = 1
    name: ClassVar[str] = "reserved"


def test_options_with_reserved_names_are_fields_with_an_underscore(monkeypatch):
    monkeypatch.setitem(ORACLES, "reserved", Reserved)
    monkeypatch.setitem(READABLE, "reserved", Reserved)
    privacy = Privacy(epsilon=1)
    wanted = Reserved(4, privacy, in_="two", estimate_=3)
    assert wanted.parameters == {
        "oracle": "reserved", "k": 4, "privacy": "epsilon=1", "in": "two", "estimate": 3,
    }  # fmt: skip
    assert oracle_of(wanted.parameters) == wanted
    assert parse_oracle("reserved:in=two:estimate=3", 4, privacy) == wanted
    assert make_oracle("reserved", 4, privacy, in_="two", estimate=3) == wanted
    with refused(InputError, about="within"):
        make_oracle("reserved", 4, privacy, within=1)
    with refused(InputError):
        parse_oracle("reserved:in_=two", 4, privacy)
    with refused(InputError):
        oracle_of({"oracle": "reserved", "k": 4, "privacy": "epsilon=1", "in_": "two", "estimate": 3})


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("ss", "ss"),
        ("ss:size=2", "ss"),
        ("ss:size=1", "ss:size=1"),
        ("ss:size=rare", "ss"),
        ("hrr:t=1", "hrr"),
        ("hrr:t=2", "hrr:t=2"),
        ("dbitflip:d=6", "dbitflip"),
        ("dbitflip:d=2", "dbitflip:d=2"),
        ("rappor:p=1/4:q=3/4", "rappor:p=1/4:q=3/4"),
        ("hcms:width=64:seed=3", "hcms:width=64:seed=3"),
        ("flat:olh", "olh"),
    ],
)
def test_a_title_makes_the_oracle_again(text, title):
    """As on the command line; files go on naming the oracle and its options apart."""
    privacy = Privacy(epsilon="1/2")
    oracle = parse_oracle(text, 6, privacy)
    assert oracle.title == title
    assert parse_oracle(title, 6, privacy) == oracle
    assert oracle.parameters["oracle"] == title.partition(":")[0]


ONE = Privacy(epsilon=1)

OWN = (
    *("hh:b=2:in=ss", "hh:b=4:in=ss-hrr", "hh:b=4:levels=ranges", "hh:b=4:levels=3-1", "haar:levels=optimal"),
    *("hh2:b=2:sides=4x4", "haar2:sides=4x4", "blocks2:sides=4x4", "design:none:L0"),
)
PAPERS = (*FLAT_ORACLES, "hh:b=2", "hh:b=4:in=hrr", "hh:b=4:levels=1-1", "haar", "haar:levels=uniform")


@pytest.mark.parametrize("name", [*OWN, *PAPERS])
def test_own_oracles_on_items_are_those_that_no_paper_has(name: str) -> None:
    assert parse_oracle(name, 16, ONE).is_published == (name in PAPERS)


@pytest.mark.parametrize("name", [kind.name for kind in MARGINAL_CLASSES])
def test_systems_for_tables_are_of_papers_but_for_two(name: str) -> None:
    assert parse_marginal_oracle(name, (2, 2, 2, 2), ONE).is_published == (name not in ("inpht", "inpes"))


def test_coefficients_are_published_where_they_are_drawn_alike() -> None:
    assert parse_marginal_oracle("inpht:draw=uniform", (2, 2, 2), ONE).is_published
    assert parse_marginal_oracle("inpht:k=1", (2, 2, 2), ONE).is_published  # each attribute is needed as much
    assert not parse_marginal_oracle("inpes:draw=uniform", (2, 2, 2), ONE).is_published


QUARTER = Privacy(alpha="1/4")


@pytest.mark.parametrize(
    ("oracle", "constants"),
    [
        (make_oracle("grr", 4, QUARTER), {"alpha": "1/4", "p": "4/7", "q": "1/7"}),
        (make_oracle("sue", 4, QUARTER), {"alpha": "1/4", "p": "2/3", "q": "1/3"}),
        (make_oracle("ss", 6, QUARTER), {"alpha": "1/4", "size": 1, "p": "4/9", "q": "1/9"}),
        (make_oracle("dbitflip", 6, QUARTER, d=2), {"alpha": "1/4", "d": 2, "p": "2/3", "q": "1/3"}),
        (
            make_oracle("olh", 6, QUARTER, hash_bits=3),
            {
                "alpha": "1/4",
                "item_bits": 3,
                "words": 3,
                "word_bits": 4,
                "buckets": 5,
                "kept": "1/2",
                "p": "1/2",
                "q": "53/256",
            },
        ),
        (
            make_oracle("design:none:L0", 2, QUARTER),
            {"alpha": "1/4", "denominator": "5", "weights": [["4", "1"], ["1", "4"]]},
        ),
    ],
    ids=["grr", "sue", "ss", "dbitflip", "olh", "design"],
)
def test_constants_are_exact(oracle, constants):
    assert oracle.constants == constants


EXAMPLE = Path(__file__).parents[1] / "example_oracle"


def wheel_of(source, folder):
    """Make the wheel that a build of the example would: its module, metadata and entry points."""
    project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    points = project["entry-points"]["mechdesign.oracles"]
    info = f"{name}-{version}.dist-info"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}.py", (source / f"{name}.py").read_text())
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        lines = [f"{key} = {value}" for key, value in points.items()]
        wheel.writestr(f"{info}/entry_points.txt", "\n".join(["[mechdesign.oracles]", *lines, ""]))
        wheel.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The folder that the example package is installed into, without a network and without what builds packages."""
    folder = tmp_path_factory.mktemp("packages")
    wheel = wheel_of(EXAMPLE, tmp_path_factory.mktemp("wheel"))
    command = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(folder), str(wheel)]
    subprocess.run([sys.executable, *command], check=True, capture_output=True)
    return folder


@pytest.fixture
def installed(packages, monkeypatch):
    monkeypatch.syspath_prepend(str(packages))
    yield packages
    sys.modules.pop("example_oracle", None)


def offer(folder, text, name="other"):
    """Write what an installed package leaves behind: its metadata and its entry points."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[mechdesign.oracles]\n{text}\n")


def test_an_installed_oracle_is_found_by_its_name(installed):
    oracle = make_oracle("theirs", 5, Privacy(epsilon=1))
    assert oracle.parameters == {"oracle": "theirs", "k": 5, "privacy": "epsilon=1"}
    assert oracle_of(oracle.parameters) == oracle
    check_oracle(oracle)
    with refused(InputError, about="oracle"):
        reference_message(Task(oracle.parameters), 3)


def test_collections_work_with_it_as_with_any(installed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    mechdesign = make_runner(capsys)
    Path("values.csv").write_text("city\n" + "Cork\nDublin\n" * 200)
    Path("cities.txt").write_text("Cork\nDublin\nGalway\n")
    words = ("--epsilon", 1, "--input", "values.csv", "--domain", "cities.txt", "-o", "r.parquet")
    assert mechdesign("local", "privatize", "--oracle", "theirs", *words).code == 0
    told = mechdesign("local", "aggregate", "r.parquet", "--json")
    assert told.code == 0, told.err
    listed = json.loads(mechdesign("local", "oracles", "--k", 8, "--epsilon", 1, "--all", "--json").out)["oracles"]
    assert "theirs" in [row["oracle"] for row in listed]
    assert "theirs" not in mechdesign("local", "oracles", "--k", 8, "--epsilon", 1).out


def test_files_name_what_is_not_installed():
    with refused(InputError, about="oracle"):
        oracle_of({"oracle": "theirs", "k": 5, "privacy": "epsilon=1"})


def test_no_package_takes_the_place_of_an_oracle(tmp_path, monkeypatch):
    offer(tmp_path, "grr = nosuch:Grr\nhh = nosuch:Hh")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert make_oracle("grr", 4, Privacy(epsilon=1)).name == "grr"
    assert parse_oracle("hh:b=2", 4, Privacy(epsilon=1)).name == "hh"
    assert {"grr", "hh"} <= set(installed_names())


@pytest.mark.parametrize(
    "text",
    [
        "mine = nosuch:Mine",
        "mine = json:dumps",
        "mine = mechdesign_catalog.systems.flat.grr:Grr",
    ],
)
def test_what_is_no_oracle_is_refused_in_a_line(tmp_path, monkeypatch, text):
    offer(tmp_path, text)
    monkeypatch.syspath_prepend(str(tmp_path))
    with refused(InputError):
        make_oracle("mine", 4, Privacy(epsilon=1))


def test_a_name_of_two_packages_is_refused(tmp_path, monkeypatch):
    offer(tmp_path, "mine = nosuch:Mine", "one")
    offer(tmp_path, "mine = nosuch:Mine", "two")
    monkeypatch.syspath_prepend(str(tmp_path))
    with refused(InputError):
        make_oracle("mine", 4, Privacy(epsilon=1))
