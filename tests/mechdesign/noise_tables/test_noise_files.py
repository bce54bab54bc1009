"""Files of noise tables of other tools: read, refused, and written."""

from fractions import Fraction
from pathlib import Path

import pytest
from wording import refused

import mechdesign as md
from mechdesign.documents.noise_tables import is_noise_table, noise_table_text, read_noise_table_file
from mechdesign.errors import InputError
from mechdesign.noise_tables.guarantee import ratio_below

HEAD = "i;j;p;v;p_int_ub\n"
GOOD = HEAD + "0; 0;1.00000000; 0;1.00000000\n1; 0;0.50000000;-1;0.50000000\n1; 2;0.50000000; 1;1.00000000\n"


@pytest.fixture(scope="module")
def design():
    return md.design_noise_table(noise=5, variance=3, block=2, guarantees=["1:0.02@1"])


def read(text, name="p.csv"):
    Path(name).write_text(text)
    return read_noise_table_file(name).table


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("tool", ["tau-argus", "sas"])
def test_rounded_chances_are_a_table_near_by(design, tool):
    table = design.mechanism
    again = read(noise_table_text(table, tool))
    assert again.last == table.last
    assert all(
        abs(again.chance(j, v) - table.chance(j, v)) <= Fraction(2, 10**8) for j in range(9) for v in range(-5, 6)
    )
    assert noise_table_text(again, tool) == noise_table_text(table, tool)
    assert is_noise_table("p.csv")


def test_interval_ends_rule():
    """The column p is rounded, and nobody looks noise up by it."""
    table = read(GOOD.replace("1; 2;0.50000000", "1; 2;0.49999999"))
    assert table == md.NoiseTable((((0, 2),), ((-1, 1), (1, 1))), 2)
    with_type = GOOD.replace("p_int_ub\n", "p_int_ub;type\n").replace("0\n", "0;all\n")
    assert read(with_type) == table


def test_a_table_of_keys_goes_round(tmp_path):
    keyed = md.design_noise_table(noise=3, variance=2, guarantees=["1@1"], objective="delta", keys=32)
    text = noise_table_text(keyed.mechanism, "ons")
    assert text.count("\n") == 750 * keyed.mechanism.denominator + 1
    again = read(text)
    assert again.following == 501
    assert again.row(751) == again.rows[501]
    for count in range(12):
        assert all(again.chance(count, v) == keyed.mechanism.chance(min(count, 3), v) for v in range(-3, 4))
    assert again.delta(ratio_below(Fraction(1)), 1) == keyed.deltas[0]
    assert noise_table_text(keyed.mechanism, "ons") != text  # keys are drawn anew


def test_rounding_to_five_has_a_delta_of_one():
    """As the table that the ONS's package installs: nothing below 10, then the nearest multiple of 5."""
    rows = [-count if count < 10 else 5 * ((count + 2) // 5) - count for count in range(1, 751)]
    table = read("pcv,ckey,pvalue\n" + "".join(f"{count},0,{noise}\n" for count, noise in enumerate(rows, 1)))
    audit = md.audit_curve(table)
    assert [point.delta for point in audit.points()] == [1] * 9
    assert audit.least_epsilon("0.5", "large") is None


FAULTS = {
    "a gap": GOOD.replace("1; 0", "2; 0").replace("1; 2", "2; 2").replace(";-1;", ";-2;").replace("; 1;1", "; 0;1"),
    "no line": HEAD,
    "an end below 1": GOOD.replace(" 1;1.00000000", " 1;0.99999999"),
    "an end that falls": GOOD.replace("1; 2;0.50000000; 1;1.00000000", "1; 2;0.5; 1;0.4"),
    "twice": GOOD.replace("1; 2;0.50000000; 1;1.00000000", "1; 0;0.5;-1;1"),
    "j": GOOD.replace("1; 2", "1; 3"),
    "type": GOOD.replace("p_int_ub\n", "p_int_ub;type\n").replace("0\n", "0;even\n"),
    "a key missing": "i;j;p;v\n0;0;1;0\n",
    "a key twice": "i;j;p;v;p_int_ub;p_int_ub\n0;0;1;0;1;1\n",
    "another key": "i;j;p;v;p_int_ub;w\n0;0;1;0;1;1\n",
    "lower end": "i;j;p;v;p_int_lb;p_int_ub\n0;0;1;0;0.1;1\n",
    "no number": GOOD.replace("1; 0;", "one;0;"),
    "NaN": GOOD.replace(";0.50000000\n", ";nan\n"),
    "fields": GOOD + "1;2\n",
    "keys of one": "pcv,ckey,pvalue\n1,0,0\n",
    "a key again": "pcv,ckey,pvalue\n1,0,0\n1,0,1\n",
    "below 0": "pcv,ckey,pvalue\n1,0,-2\n",
    "beyond": "pcv,ckey,pvalue\n751,0,0\n",
    "huge": "pcv,ckey,pvalue\n1,0,99999999999\n",
    "no table": "a,b\n1,2\n",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_bad_files(fault):
    with refused(InputError):
        read(FAULTS[fault])


def test_what_an_export_needs(design):
    with refused(InputError):
        noise_table_text(design.mechanism, "ons")
    with refused(InputError, about="tool"):
        noise_table_text(design.mechanism, "excel")
