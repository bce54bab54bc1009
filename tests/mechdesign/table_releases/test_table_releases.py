"""Tables of counts released through a noise table: cells, noise, the book of names, the promise, the record."""

import itertools
import json
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from two_checkers import FALSE, PROVED, UNREADABLE, by_program
from wording import refused

import mechdesign as md
from mechdesign.errors import InputError
from mechdesign.mechanism.privacy_curve import delta_at
from mechdesign.noise_tables.guarantee import ratio_below
from mechdesign.table_releases.cells import count_cells, margins_of, parse_tables
from mechdesign.table_releases.noise import CellNoise
from mechdesign.table_releases.promise import LossAtoms, promises
from mechdesign.verify.__main__ import main

E = ratio_below(Fraction(1))


@pytest.fixture(scope="module")
def table():
    return md.design_noise_table(noise=5, variance=3, block=2, guarantees=["1:0.02@1", "1:0.006@large"])


@pytest.fixture
def folder(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    md.export(table, "t.json")
    rows = itertools.islice(itertools.cycle(["a,x", "a,y", "b,x", "a,x"]), 103)
    Path("people.csv").write_text("sex,job\n" + "".join(f"{row}\n" for row in rows))
    return tmp_path


def apply(**changed):
    given = {
        "table": "t.json",
        "input": "people.csv",
        "by": ["sex,job"],
        "secret": "office.secret",
        "name": "first",
        "output": "cells.csv",
        "record": "record.json",
    }
    return md.apply_noise_table(**{**given, **changed})


def test_margins_are_all_subsets_once():
    assert margins_of([("a", "b"), ("b", "c")]) == ((), ("a",), ("b",), ("c",), ("a", "b"), ("b", "c"))


def test_counts_of_cells_are_those_of_a_loop(folder):
    counted = count_cells(Path("people.csv"), [("sex", "job"), ("job",)], None, None, len)
    rows = [line.split(",") for line in Path("people.csv").read_text().splitlines()[1:]]
    expected = Counter()
    for sex, job in rows:
        for cell in ((), (("sex", sex),), (("job", job),), (("job", job), ("sex", sex))):
            expected[cell] += 1
    assert counted.counts == expected
    assert counted.counts[()] == 103


def test_the_same_command_gives_the_same_cells(folder, table):
    first = apply()
    files = [Path(name).read_bytes() for name in ("cells.csv", "record.json")]
    assert apply().released == first.released
    assert [Path(name).read_bytes() for name in ("cells.csv", "record.json")] == files
    noise = {cell: first.released[cell] - count for cell, count in first.counted.counts.items()}
    assert max(map(abs, noise.values())) <= 5
    claims = md.check_table_release("record.json", "cells.csv", "people.csv", "office.secret")
    assert [claim for claim in claims if not claim.true] == []
    assert by_program(Path("record.json")) == PROVED
    assert Path("office.secret").stat().st_mode & 0o777 == 0o600
    assert len(first.record["sets_so_far"]) == 4


def test_a_cell_has_one_noise_in_all_tables_of_a_name(folder):
    whole = apply().released
    part = apply(by=["sex"], output="sex.csv", record="sex.json")
    assert part.released == {cell: whole[cell] for cell in part.released}
    assert len(part.record["sets_so_far"]) == 4
    assert apply(name="second", by=["sex"], output="sex.csv", record="sex.json").released.keys() == part.released.keys()


def test_a_domain_publishes_every_cell(folder):
    Path("items.csv").write_text("column,item\nsex,a\nsex,b\njob,x\njob,y\njob,z\n")
    found = apply(domain="items.csv", hide=4, keep_true=True)
    assert len(found.released) == 3 * 4
    assert found.counted.counts[("job", "z"),] == 0
    assert found.released[("job", "z"),] is None  # a true 0 stays 0, and is hidden
    lines = Path("cells.csv").read_text().splitlines()
    assert lines[0] == "sex,job,released,true"
    assert ",z,<4,0" in lines
    claims = md.check_table_release("record.json", "cells.csv", "people.csv", "office.secret", "items.csv")
    assert all(claim.true for claim in claims)
    with refused(InputError, about="domain"):
        md.check_table_release("record.json", "cells.csv", "people.csv", "office.secret")


def test_noise_follows_the_row(table):
    """100,000 cells of one count: chi-squared of their noises."""
    noise = CellNoise(table.mechanism, bytes(32), "n", "d")
    seen = Counter(noise.of((("cell", str(number)),), 9) for number in range(100_000))
    expected = {v: 100_000 * table.mechanism.chance(8, v) for v, _ in table.mechanism.rows[8]}
    assert set(seen) <= set(expected)
    statistic = sum((seen[v] - float(mean)) ** 2 / float(mean) for v, mean in expected.items())
    assert statistic < chi2.isf(1e-9, len(expected) - 1)


def test_names_inputs_and_keys_have_noise_of_their_own(table):
    """Two of them agree as often as independent draws do: within 6 standard errors."""
    base = CellNoise(table.mechanism, bytes(32), "n", "d")
    agree = sum(float(table.mechanism.chance(8, v)) ** 2 for v in range(-5, 6))
    cells = [(("cell", str(number)),) for number in range(4000)]
    own = [base.of(cell, 9) for cell in cells]
    for other in (replace(base, name="m"), replace(base, input_digest="e"), replace(base, key=b"1" * 32)):
        share = np.mean([a == other.of(cell, 9) for a, cell in zip(own, cells, strict=True)])
        assert abs(share - agree) < 6 * math.sqrt(agree * (1 - agree) / len(cells))


def test_why_the_cell_has_to_be_in_the_hash(table):
    """With keys of people alone, two cells of the same people agree for certain: delta is the chance to differ."""
    law, onward = table.mechanism.law(20), table.mechanism.law(21)
    unit = table.mechanism.denominator
    same = {(i, i): weight * unit for i, weight in law.items()}
    apart = {(i, j): v * w for i, v in law.items() for j, w in onward.items()}
    differ = 1 - sum(float(w / unit) * float(onward.get(i, 0) / unit) for i, w in law.items())
    for epsilon in (Fraction(1, 2), Fraction(1)):
        delta = delta_at([(apart, same)], unit * unit, ratio_below(epsilon))
        assert float(delta) == pytest.approx(differ)
    assert differ > 0.8
    named = {(i, j): v * w for i, v in law.items() for j, w in law.items()}
    assert delta_at([(named, apart), (apart, named)], unit * unit, E) == table.mechanism.delta(E, 20)


rows_of = st.lists(st.integers(1, 6), min_size=3, max_size=3)


@given(st.lists(rows_of, min_size=2, max_size=3), st.sampled_from(["1/10", "1/2", "1"]))
@settings(max_examples=25)
def test_two_cells_promise_no_less_than_all_pairs_of_pairs(weights, epsilon):
    """A mixed pair may be worse than either pair twice."""
    unit = math.prod(sum(row) for row in weights)
    rows = [tuple(zip((-1, 0, 1), (w * unit // sum(row) for w in row), strict=True)) for row in weights]
    table = md.NoiseTable((((0, unit),), *rows), unit)
    pairs = list(table.pairs(1))
    worst = max(
        delta_at([(joint(a, c), joint(b, d))], unit * unit, ratio_below(Fraction(epsilon)))
        for (a, b), (c, d) in itertools.product(pairs, repeat=2)
    )
    ((one, _, _),) = promises(table, [(Fraction(epsilon), 1, 1)], 2)
    assert one.delta >= float(worst)
    alone = LossAtoms.of(pairs, unit).composed(1).delta(ratio_below(Fraction(epsilon)))
    exact = float(table.delta(ratio_below(Fraction(epsilon)), 1))
    assert exact <= alone <= exact + 1e-3


def joint(a, b):
    return {(i, j): v * w for i, v in a.items() for j, w in b.items()}


@pytest.mark.parametrize(("noise", "cells"), [(20, 8), (30, 64), (37, 64)])
def test_a_tiny_chance_of_a_certain_loss_is_not_lost(noise, cells):
    """What floats of `1 - (1 - p)^m` cancel."""
    found = md.design_noise_table(noise=noise, variance=3, guarantees=["1@large"], objective="delta", shape="none")
    pairs = list(found.mechanism.pairs(found.problem.last))
    certain = max(sum(w for i, w in a.items() if i not in b) for a, b in pairs)
    exact = 1 - (1 - Fraction(certain, found.mechanism.denominator)) ** cells
    ((_, total, _),) = promises(found.mechanism, [(Fraction(1), "large", found.problem.last)], cells)
    assert Fraction(total.delta) >= exact


def test_all_counts_need_public_items(folder):
    """Which cells occur tells 0 from 1, so that nothing can be said of all counts."""
    md.export(md.design_noise_table(noise=5, variance=3, block=2, guarantees=["1:0.3@0"]), "zero.json")
    with refused(InputError, about="domain"):
        apply(table="zero.json")
    Path("items.csv").write_text("column,item\nsex,a\nsex,b\njob,x\njob,y\n")
    apply(table="zero.json", domain="items.csv")
    assert all(claim.true for claim in md.check_table_release("record.json", "cells.csv"))
    data = json.loads(Path("record.json").read_text())
    Path("record.json").write_text(json.dumps({**data, "domain": False}))
    assert not all(claim.true for claim in md.check_table_release("record.json", "cells.csv"))


def test_the_book_knows_what_else_was_published(folder):
    apply(by=["sex"])
    Path("cells.csv").rename("first.csv")
    Path("record.json").rename("first.json")
    asked = ("first.json", "first.csv", "people.csv", "office.secret")
    assert all(claim.true for claim in md.check_table_release(*asked))
    apply(by=["job"])
    false = [claim for claim in md.check_table_release(*asked) if not claim.true]
    assert [claim.detail for claim in false] == ["3 sets of variables were"]


def test_the_promise_of_ptables_table():
    """Published digits of its composition, and of ours a bound that is near by."""
    own = md.design_noise_table(noise=5, variance=3, block=2, shape="left").mechanism
    ((one, total, _),) = promises(own, [(Fraction(1), "large", 8)], 4)
    assert (round(one.delta, 4), round(total.delta, 4)) == (0.1830, 0.0153)


def changed_record(change):
    data = json.loads(Path("record.json").read_text())
    change(data)
    Path("forged.json").write_text(json.dumps(data))
    return Path("forged.json")


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["promise"][0].update(delta=d["promise"][0]["delta"] * 0.99),
        lambda d: d["promise"][0].update(cells=3),
        lambda d: d["promise"].pop(),
        lambda d: d["sets_so_far"].pop(),
        lambda d: d["sets"].pop(0),
        lambda d: d.update(table_sha256="0" * 64),
        lambda d: d["table"]["rows"][3][0].__setitem__(1, "1"),
        lambda d: d["table"]["problem"].update(variance="2"),
        lambda d: d["output"].update(sha256="0" * 64),
        lambda d: d.update(hide=40),
        lambda d: d["variables"].reverse(),
        lambda d: d["output"]["columns"].reverse(),
        lambda d: d["input"].update(hmac_sha256="0" * 64),
        lambda d: d.update(name="other"),
        lambda d: d.update(statement=["Nobody can learn anything."]),
        lambda d: d["statement"].pop(),
    ],
)
def test_a_forged_record_is_refused(folder, change):
    apply()
    path = changed_record(change)
    claims = md.check_table_release(path, "cells.csv", "people.csv", "office.secret")
    assert not all(claim.true for claim in claims)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(format="mechdesign-table-release/2"),
        lambda d: d.update(date="yesterday"),
        lambda d: d.pop("hide"),
        lambda d: d.update(extra=1),
        lambda d: d.update(sets=[]),
        lambda d: d["input"].update(hmac_sha256="x"),
        lambda d: d.update(table={}),
        lambda d: d["promise"][0].update(cells=0),
        lambda d: d.update(domain="no"),
    ],
)
def test_what_is_no_record_is_unreadable(folder, change):
    apply()
    path = changed_record(change)
    assert by_program(path) == UNREADABLE
    with pytest.raises(InputError):
        md.check_table_release(path)


def test_another_output_is_refused(folder):
    apply()
    text = Path("cells.csv").read_text()
    for other in (text.replace(",x,", ",z,"), text + "a,z,7\n", text.replace("\n", "\n", 1).rstrip("\n") + "1\n"):
        Path("other.csv").write_text(other)
        assert not all(claim.true for claim in md.check_table_release("record.json", "other.csv"))
        assert main(["record.json", "other.csv"]) == FALSE


@pytest.mark.parametrize(
    ("about", "changed"),
    [
        ("by", {"by": []}),
        ("by", {"by": ["sex,sex"]}),
        ("by", {"by": [","]}),
        (None, {"by": ["age"]}),
        (None, {"unit_column": "id"}),
        (None, {"unit_column": "sex"}),
        ("name", {"name": " "}),
        ("name", {"name": "a\nb"}),
        ("hide", {"hide": -1}),
        (None, {"output": "record.json"}),
        (None, {"output": "people.csv"}),
        (None, {"secret": "people.csv"}),
        ("file", {"table": "people.csv"}),
        ("input", {"input": "none.csv"}),
        (None, {"input": "holes.csv"}),
        ("domain", {"domain": "people.csv"}),
        ("domain", {"domain": "few.csv"}),
        (None, {"domain": "other.csv"}),
    ],
)
def test_bad_input(folder, about, changed):
    Path("holes.csv").write_text("sex,job\na,x\n,x\n")
    Path("few.csv").write_text("column,item\nsex,a\nsex,b\n")
    Path("other.csv").write_text("column,item\nsex,a\nsex,b\njob,y\njob,z\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(InputError) as caught:
        apply(**changed)
    assert about is None or caught.value.about == about, str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "office.secret"}
    assert after == before


def test_perturbed_zeros_need_a_domain(folder):
    md.export(md.design_noise_table(noise=3, variance=2, zeros="perturbed", guarantees=["1:0.2"]), "p.json")
    with refused(InputError, about="domain"):
        apply(table="p.json")


def test_a_name_is_for_one_input_and_one_table(folder):
    apply()
    cells = Path("cells.csv").read_bytes()
    Path("people.csv").write_text(Path("people.csv").read_text() + "a,x\n")
    with refused(InputError, about="name"):
        apply()
    md.export(md.design_noise_table(noise=3, variance=2, guarantees=["1:0.2"]), "t.json")
    with refused(InputError, about="name"):
        apply()
    assert Path("cells.csv").read_bytes() == cells
    apply(name="second")


def test_a_secret_that_others_may_read_is_refused(folder):
    apply()
    Path("office.secret").chmod(0o644)
    with pytest.raises(InputError, match="mode 600"):
        apply()


def test_the_names_of_tables():
    assert parse_tables(['"a,b",c', "d"]) == (("a,b", "c"), ("d",))
