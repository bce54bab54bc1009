"""Bad input about several attributes: one line, exit code 2, nothing written; and headers that somebody changed."""

from pathlib import Path

import numpy as np
import pytest
from tampered_reports import ODD, PARAMETER_KINDS, aggregated, read_body, set_at

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.reports.report_files import write_reports
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.marginals.registry import MARGINAL_ORACLES, parse_marginal_oracle

DOMAIN = "column,item\ncc,no\ncc,yes\ntip,no\ntip,yes\nzone,west\nzone,east\nzone,north\n"
PEOPLE = "id,cc,tip,zone\n1,no,yes,west\n2,yes,yes,north\n3,no,no,east\n"
BITS = Attributes.of({"cc": ["no", "yes"], "tip": ["no", "yes"], "far": ["no", "yes"]})
VALUES = np.array([[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1]] * 10)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with users and attributes."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE)
    Path("attributes.csv").write_text(DOMAIN)


@pytest.fixture
def refused(here, mechdesign):
    """Runs a command that is to be refused; answers with the line, less its first word."""

    def run(*arguments):
        before = sorted(path.name for path in Path().iterdir())
        seen = mechdesign(*arguments)
        assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1), seen.err
        assert sorted(path.name for path in Path().iterdir()) == before
        return seen.err.removeprefix("mechdesign: ").rstrip("\n")

    return run


BASE = ["privatize", "--input", "people.csv", "--domain", "attributes.csv", "--epsilon", 1, "-o", "r.parquet"]
USERS = {
    "outside": (PEOPLE + "4,maybe,no,west\n", "got another in row 4 of people.csv, attribute cc"),
    "blank": (PEOPLE + "4,no,no,\n", "got a blank cell in row 4 of people.csv, attribute zone"),
    "column": (PEOPLE.replace("tip", "tips"), "people.csv has no column 'tip'"),
    "twice": (PEOPLE.replace("id,", "cc,"), "people.csv must have one column 'cc', which --columns asks for, got 2"),
    "no header": (PEOPLE.partition("\n")[2], "the first row of people.csv must be a header, got a value in it"),
    "no rows": ("id,cc,tip,zone\n", "the input must have at least one row, got none"),
}


@pytest.mark.parametrize("fault", USERS)
@pytest.mark.parametrize("oracle", ["margps:k=2", "rs+fd"])
def test_bad_users(refused, fault, oracle):
    text, message = USERS[fault]
    Path("people.csv").write_text(text)
    said = refused(*BASE, "--oracle", oracle, "--columns", "cc,tip,zone")
    assert message in said
    assert "maybe" not in said


DOMAINS = {
    "one item": (DOMAIN + "far,no\n", "a domain must have at least 2 items, got 1 for attribute far in attributes.csv"),
    "item twice": (DOMAIN + "tip,no\n", "items of a domain must be distinct, got no twice for attribute tip in"),
    "a list": ("no\nyes\n", "attributes.csv has no column 'column'"),
    "empty": ("", "file must have a header and rows, got an empty one: attributes.csv"),
}


@pytest.mark.parametrize("fault", DOMAINS)
def test_bad_attributes(refused, fault):
    text, message = DOMAINS[fault]
    Path("attributes.csv").write_text(text)
    assert message in refused(*BASE, "--oracle", "margps:k=2", "--columns", "cc,tip")


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        ("grr", "columns must be one for grr, got 2; of several attributes are spl, smp, rs+fd, inprr"),
        ("flat:hrr:t=2", "columns must be one for flat:hrr:t=2, got 2"),
        ("design:none:L0", "columns must be one for design:none:L0, got 2"),
        ("mechanism.json", "columns must be one for mechanism.json, got 2"),
        ("hh2:b=2", "columns must be as many as bins, got 2 for none"),
        ("imprr", "did you mean inprr?"),
    ],
)
def test_several_columns_of_an_oracle_of_one(refused, oracle, message):
    assert message in refused(*BASE, "--oracle", oracle, "--columns", "cc,tip")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--oracle", "margps:k=4"], "k must be in 1..3, as there are 3 attributes, got k=4"),
        (["--oracle", "margps:k=0"], "k must be in 1..3"),
        (["--oracle", "margps", "--columns", "cc"], "as there is 1 attribute, got k=2; write margps:k=1"),
        (["--oracle", "margps:k=x"], "k must be in 1..3"),
        (["--oracle", "margps:t=2"], "t must not be given for margps, got t=2"),
        (["--oracle", "margpz:k=2", "--columns", "cc,tip"], "did you mean margps?"),
        (
            ["--oracle", "margps:k=2", "--columns", "cc,tax"],
            "attributes of attributes.csv (cc, tip, zone), got tax",
        ),
        (["--oracle", "margps:k=2", "--columns", "cc,cc"], "columns must be different names"),
        (["--oracle", "margps:k=2", "--column", "cc", "--columns", "cc,tip"], "exactly one of column and columns"),
        (["--oracle", "margps:k=2", "--bins", "0:9:1"], "bins goes with oracles of one column, got it with margps:k=2"),
        (["--oracle", "spl", "--ordered"], "ordered goes with oracles of one column, got it with spl"),
        (["--oracle", "spl", "--maximum", "3"], "maximum goes with oracles of one column"),
        (["--oracle", "inpem"], "attributes must have 2 items for inpem, got 3 in attribute 3"),
        (["--oracle", "spl", "--user", "id", "--memory", "m.db", "--round", "1"], "memory goes with dbitflip"),
        (["--oracle", "rs+fd:encoding=oue-r"], "encoding must be one of grr, oue-z, adp, got oue-r"),
    ],
)
def test_options_that_do_not_go_together(refused, options, message):
    assert message in refused(*BASE, *options)


def test_attributes_are_needed(refused):
    base = [part for part in BASE if part not in ("--domain", "attributes.csv")]
    said = refused(*base, "--oracle", "margps:k=2", "--columns", "cc,tip")
    assert said.startswith(
        "--domain must be given for margps:k=2, got none: a public CSV file with columns column,item"
    )


@pytest.fixture
def collected(here, mechdesign):
    """Reports of all three attributes, of two of them in both orders, and by another oracle."""
    for name, columns in (("r", "cc,tip,zone"), ("two", "cc,tip"), ("turned", "tip,cc"), ("again", "cc,tip")):
        made = [*BASE[:-1], f"{name}.parquet", "--oracle", "margps:k=2", "--columns", columns, "--seed", 1]
        seen = mechdesign(*made)
        assert seen.code == 0, seen.err
    assert mechdesign(*BASE[:-1], "one.parquet", "--oracle", "smp", "--columns", "cc,tip", "--seed", 1).code == 0
    Path("cities.csv").write_text("city\nCork\nGalway\n")
    Path("cities.txt").write_text("Cork\nGalway\n")
    grr = ["privatize", "--oracle", "grr", "--epsilon", 1, "--input", "cities.csv", "--domain", "cities.txt"]
    assert mechdesign(*grr, "-o", "grr.parquet", "--seed", 1).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["r.parquet", "--marginal", "cc,tip,zone"],
            "a marginal must be of at most k=2 attributes, as the reports were made for, got 3; larger ones are "
            "estimated, not unbiased, by the post max-entropy",
        ),
        (["r.parquet", "--marginal", "cc,tax"], "attribute must be one of cc, tip, zone, got tax"),
        (["r.parquet", "--marginal", "cc,tiq"], "got tiq; did you mean tip?"),
        (["r.parquet", "--marginal", "cc,cc"], "a marginal must be of different attributes, got cc twice"),
        (["r.parquet", "--marginal", ""], "attribute must be one of cc, tip, zone, got an empty name"),
        (["r.parquet", "--marginal", "cc,"], "got an empty name"),
        (["one.parquet", "--marginal", "cc,tip"], "a marginal must be of at most k=1 attributes"),
        (["r.parquet", "--marginal", "cc", "--all"], "exactly one of --marginal and --all must be given, got both"),
        (["r.parquet", "--post", "em2"], "post must be one of least-squares, raw"),
        (["r.parquet", "-o", "m.csv"], "--output must be of --marginal A,B or --all, got neither of them"),
        (["r.parquet", "--all", "--plot", "m.png"], "--plot must be of a --marginal of one or two attributes"),
        (["r.parquet", "--quantiles", "0.5"], "--quantiles goes with reports of one attribute, got it with margps"),
        (["grr.parquet", "--marginal", "cc"], "--marginal goes with reports of several attributes, got it with grr"),
        (["grr.parquet", "--all"], "--all goes with reports of several attributes, got it with grr"),
        (["two.parquet", "turned.parquet"], "got tip, cc in turned.parquet and cc, tip in two.parquet"),
        (["two.parquet", "again.parquet"], "each report must be given once"),
        (["two.parquet", "r.parquet"], "same parameters, got domains=2,2,3 beside domains=2,2"),
        (["two.parquet", "one.parquet"], "same parameters, got oracle=smp beside oracle=margps"),
        (["r.parquet", "--domain", "other.csv"], "domain must have the attributes that the reports were made with"),
    ],
)
def test_bad_questions(collected, refused, arguments, message):
    Path("other.csv").write_text(DOMAIN.replace("north", "South"))
    assert message in refused("aggregate", *arguments)


def test_an_empty_branch_is_no_answer(here, mechdesign):
    Path("people.csv").write_text("id,cc,tip,zone\n1,no,yes,west\n")
    assert mechdesign(*BASE, "--oracle", "smp").code == 0
    seen = mechdesign("aggregate", "r.parquet")
    assert (seen.code, seen.out, seen.err.count("\n")) == (1, "", 1)
    assert "each attribute must be reported by a user, got none for attribute" in seen.err
    codes = [mechdesign("aggregate", "r.parquet", "--marginal", name).code for name in ("cc", "tip", "zone")]
    assert sorted(codes) == [0, 1, 1]


def test_names_of_columns_of_the_table_are_refused_in_its_own_file(here, refused, mechdesign):
    Path("attributes.csv").write_text(DOMAIN.replace("zone", "share"))
    Path("people.csv").write_text(PEOPLE.replace("zone", "share"))
    assert mechdesign(*BASE, "--oracle", "margps:k=2", "--seed", 1).code == 0
    assert "must not be called share" in refused("aggregate", "r.parquet", "--marginal", "cc,share", "-o", "m.csv")


def write_good(name):
    oracle = parse_marginal_oracle(name, BITS.sizes, Privacy(epsilon=1))
    header = Header(Task(oracle.parameters, BITS.digest, attributes=BITS, columns=BITS.names))
    write_reports(Path("good.parquet"), header, [oracle.privatize(VALUES)])
    return read_body("good.parquet")


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ([{"name": "cc", "items": ["no", "yes"]}], "attributes must be those of the domain's digest"),
        ([{"name": "cc", "items": ["no"]}], "a domain must have at least 2 items, got 1"),
        ([{"name": "cc"}], "attributes must be a list of names with items, got others"),
        ([{"name": "cc", "items": "no"}], "attributes must have texts as names and items, got others"),
        ([{"name": "cc", "items": [1, 2]}], "attributes must have texts as names and items"),
        ([{"name": 5, "items": ["no", "yes"]}], "attributes must have texts as names and items"),
        ([{"name": "\ud800", "items": ["no", "yes"]}], "attributes must be texts in UTF-8, got others"),
        ([{"name": "cc", "items": ["no", "yes"]}] * 2, "names of attributes must be distinct, got cc twice"),
        ([], "attributes must have a domain each, got 0 for 0"),
        (None, "domain must be given for attributes that are too large to be in the files"),
    ],
)
def test_attributes_are_those_of_the_digest(here, listed, message):
    assert message in aggregated(write_good("margps:k=2"), set_at("task.domain.attributes", listed))


def test_odd_attributes_are_one_line(here):
    good = write_good("margps:k=2")
    for place in (
        "task.domain.attributes",
        "task.domain.columns",
        "task.domain.items",
        "task.domain.bins",
        "task.domain.sha256",
    ):
        for name, odd in ODD.items():
            possible = (place, name) in (("task.domain.bins", "no list"), ("task.domain.items", "null"))
            assert (aggregated(good, set_at(place, odd)) is None) == possible, (place, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", MARGINAL_ORACLES)
def test_parameters_of_other_kinds(here, name):
    good = write_good(name)
    for parameter, was in [*good["task"]["parameters"].items(), ("other", None)]:
        for label in PARAMETER_KINDS:
            error = aggregated(good, set_at(f"task.parameters.{parameter}", ODD[label]))
            possible = ODD[label] == was or (parameter, label) == ("privacy", "digits") or parameter == "seed"
            assert possible or error is not None, (parameter, label)
