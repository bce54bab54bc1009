"""Quotes of releases: they say what the record says after the draw, and tell releases apart."""

from pathlib import Path

import pytest
from microdata import write_people
from wording import refused

from mechdesign import DesignProblem, InputError, Privacy, design, export, release_file
from mechdesign.releases.designing import DesignedSizes, DesignRequest, GivenMechanism
from mechdesign.releases.inputs import InputColumns
from mechdesign.releases.quoting import quote_release
from mechdesign.releases.secret_key import input_hmac

KEY = b"k" * 32
PEOPLE = InputColumns("household", bit="poor", group="area", unit_column="id")
TABLE = InputColumns("person", column="sick", size="people")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people("people.csv", areas=12)
    Path("c.csv").write_text("town,sick,people\nA,1,2\nB,0,3\nC,2,2\n")


def designed(alpha="1/2", **options):
    return DesignedSizes(DesignRequest(Privacy(alpha), **options))


def quoted(path="people.csv", counted=PEOPLE, designs=None):
    return quote_release(Path(path), counted, designs or designed(), KEY, lambda read: None)


def test_microdata_are_quoted_as_they_are_recorded():
    found = quoted()
    record = release_file(
        "people.csv", "r.csv", record="r.json", bit="poor", group="area", unit="household", alpha="1/2"
    )
    told = found.entries()
    assert (told["groups"], told["units"], told["unit"]) == (record.groups, record.units, record.unit)
    assert found.sizes == {entry.size: entry.groups for entry in record.sizes}
    assert found.alpha == record.alpha
    assert found.published == record.columns[:-1]
    assert found.input_hmac == input_hmac(Path("people.csv"), KEY)


def test_tables_of_counts_are_quoted_as_they_are_recorded():
    found = quoted("c.csv", TABLE)
    record = release_file("c.csv", "r.csv", column="sick", size="people", alpha="1/2")
    assert found.sizes == {entry.size: entry.groups for entry in record.sizes}
    assert (found.published, found.groups) == (record.columns[:-1], 3)


def test_a_given_mechanism_is_named_by_its_digest():
    export(design(DesignProblem(3, "1/2")), "m.json")
    export(design(DesignProblem(3, "1/3")), "n.json")
    first, other = (
        quoted("c.csv", InputColumns("person", column="sick"), GivenMechanism.read(Path(name)))
        for name in ("m.json", "n.json")
    )
    assert first.sizes == {3: 3}
    assert set(first.design) == {"mechanism"}
    assert first.identity != other.identity


def test_what_makes_another_release_makes_another_identity():
    same = [quoted(), quoted(designs=designed("0.5")), quoted(designs=designed(properties="CM,RM,WH"))]
    assert len({one.identity for one in same}) == 1
    others = [
        quoted(designs=designed("1/3")),
        quoted(designs=designed(properties="none")),
        quoted(counted=InputColumns("person", bit="poor", group="area", unit_column="id")),
        quoted(counted=InputColumns("household", bit="poor", group="area")),
        quoted("c.csv", TABLE),
    ]
    assert len({same[0].identity, *(one.identity for one in others)}) == 6


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("a,poor\nx,2\n", InputColumns("person", bit="poor", group="a")),
        ("a,poor\n", InputColumns("person", bit="poor", group="a")),
        ("sick,people\n", TABLE),
        ("sick,people\n1,0\n", TABLE),
        ("sick,people\n1,1000000001\n", TABLE),
        ("sick,people\nx,3\n", TABLE),
        ("sick,n\n1,3\n", TABLE),
    ],
    ids=["bit", "no-rows", "no-groups", "size-0", "size-too-large", "count", "column"],
)
def test_what_cannot_be_released_is_told(text, counted):
    Path("bad.csv").write_text(text)
    with refused(InputError):
        quoted("bad.csv", counted)
