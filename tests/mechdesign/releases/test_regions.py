"""Groups in regions: one draw a group, a record of the third version, and totals that are sums of estimates."""

import hashlib
import json
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from microdata import without_canonical
from record_cases import REGION_CASES
from two_checkers import FALSE, PROVED, UNREADABLE
from wording import refused

from mechdesign.designs import design
from mechdesign.errors import InputError
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.privacy import Privacy
from mechdesign.releases.checking import check_release
from mechdesign.releases.designing import DesignedSizes, DesignRequest
from mechdesign.releases.estimates.by_group import estimate_groups
from mechdesign.releases.estimates.estimate import estimate_release, estimate_sizes
from mechdesign.releases.files import release_file
from mechdesign.releases.inputs import InputColumns
from mechdesign.releases.quoting import quote_release
from mechdesign.releases.record_document import read_stored_record, record_text
from mechdesign.verify import __main__ as program

ASKED = {"bit": "poor", "group": "region,area", "epsilon": 1}
SIZES = {("north", "1"): 3, ("north", "2"): 1, ("north", "10"): 4, ("south", "1"): 3, ("west", "7"): 2}


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(region, area, k % 2) for k in range(4) for (region, area), size in reversed(SIZES.items()) if k < size]
    write(rows)
    return rows


def write(rows):
    lines = (",".join(map(str, row)) for row in rows)
    Path("people.csv").write_text("\n".join(["region,area,poor", *lines]) + "\n")


@pytest.fixture
def released(people):
    with without_canonical():
        return release_file("people.csv", "r.csv", record="r.json", intervals="0.9", seed=1, **ASKED)


def test_groups_are_pairs_and_each_has_one_draw(released):
    rows = [line.split(",") for line in Path("r.csv").read_text().splitlines()]
    assert rows[0][:4] == ["region", "area", "size", "released"]
    assert {(region, area): int(size) for region, area, size, *_ in rows[1:]} == SIZES
    assert [tuple(row[:2]) for row in rows[1:]] == list(SIZES)  # areas by value within their regions
    assert (released.groups, released.units, released.region, released.group) == (5, 13, "region", "area")
    found = estimate_groups("r.csv", "r.json", confidence="0.9")
    assert [[*name, *map(str, numbers)] for name, numbers in zip(found.names, found.rows, strict=True)] == rows[1:]


@pytest.mark.usefixtures("released")
def test_the_record_is_of_the_third_version_without_a_law():
    data = json.loads(Path("r.json").read_text())
    assert (data["format"], data["group"]) == ("mechdesign-release/3", ["region", "area"])
    assert (data["law"], data["law_sizes"]) == (None, None)
    assert "one for each area in each region. The names and the sizes of all groups" in data["statement"]
    assert record_text(read_stored_record(Path("r.json")).record) == Path("r.json").read_text()
    assert all(claim.true for claim in check_release("r.json", "r.csv"))
    assert program.main(["r.json", "r.csv"]) == PROVED


def test_names_and_sizes_are_those_of_the_input(people):
    release_file("people.csv", "r.csv", record="r.json", key="secret", **ASKED)
    assert all(claim.true for claim in check_release("r.json", "r.csv", "people.csv", "secret"))
    write([("west", *row[1:]) if row[:2] == ("north", "2") else row for row in people])
    false = {claim.claim for claim in check_release("r.json", "r.csv", "people.csv", "secret") if not claim.true}
    assert "the output has the names and sizes of the input's groups" in false


@pytest.mark.usefixtures("people")
def test_one_column_of_groups_is_written_as_before():
    with without_canonical():
        release_file("people.csv", "r.csv", record="r.json", **{**ASKED, "group": "area"})
    data = json.loads(Path("r.json").read_text())
    assert (data["format"], data["group"]) == ("mechdesign-release/2", "area")
    assert "law" not in data


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize(
    "group",
    [
        "region,town",
        "poor,area",
        "region,area,poor",
        "region,region",
    ],
)
def test_columns_that_cannot_name_groups(group):
    with refused(InputError):
        release_file("people.csv", "r.csv", **{**ASKED, "group": group})
    assert not Path("r.csv").exists()


@pytest.mark.parametrize("name", ["size", "released"])
def test_a_region_has_no_name_that_the_output_needs(name, people):
    Path("people.csv").write_text(Path("people.csv").read_text().replace("region", name))
    with refused(InputError):
        release_file("people.csv", "r.csv", **{**ASKED, "group": f"{name},area"})


@pytest.mark.usefixtures("released")
def test_another_region_column_is_another_release():
    Path("people.csv").write_text(Path("people.csv").read_text().replace("region", "state"))
    with refused(InputError):
        release_file("people.csv", "r.csv", record="r.json", **{**ASKED, "group": "state,area"})


@pytest.mark.usefixtures("people")
def test_a_quote_publishes_both_columns():
    designs = DesignedSizes(DesignRequest(Privacy(epsilon=1)))
    found = quote_release(
        Path("people.csv"), InputColumns("person", "poor", "region,area"), designs, b"k", lambda read: None
    )
    assert (found.published, found.groups) == (("region", "area", "size"), 5)


@pytest.mark.parametrize(("change", "verdict"), REGION_CASES)
@pytest.mark.usefixtures("released")
def test_each_rule_of_a_record_of_regions(change, verdict, capsys):
    data = json.loads(Path("r.json").read_text())
    change(data)
    Path("f.json").write_text(json.dumps(data))
    assert program.main(["f.json"]) == verdict, capsys.readouterr()
    if verdict == PROVED:  # it does not look at words and names of columns without the output
        assert program.main(["f.json", "r.csv"]) == FALSE or data["group"] is None
        assert any(not claim.true for claim in check_release("f.json"))
        return
    with pytest.raises(InputError):
        check_release("f.json")
    assert verdict == UNREADABLE


@pytest.mark.usefixtures("released")
@pytest.mark.parametrize(
    ("old", "new", "false"),
    [
        ("north,2,1", "north,1,1", "every group stands once"),
        ("west,7", "nort\u0125,7", "the groups are sorted by name"),
        ("west,7", "west ,7", "every group stands once"),
        ("west,7", ",7", "every group stands once"),
        ("south,1", "north\ufe0f,1", "every group stands once"),
        ("west,7", "a,7", "the groups are sorted by name"),
        ("north,1,", "north,11,", "the groups are sorted by name"),
        ("west,7,2", "west,7,3", "as many groups of each size"),
        ("region,area", "area,region", "the output has the record's columns"),
    ],
)
def test_outputs_that_were_changed(old, new, false, capsys):
    """The record's digest is that of the changed output."""
    written = Path("r.csv").read_bytes()
    forged = written.replace(old.encode(), new.encode(), 1)
    assert forged != written
    digests = (hashlib.sha256(data).hexdigest() for data in (written, forged))
    Path("f.json").write_text(Path("r.json").read_text().replace(*digests))
    Path("f.csv").write_bytes(forged)
    assert program.main(["f.json", "f.csv"]) == FALSE
    lines = capsys.readouterr().out.splitlines()
    assert any("FALSE" in line and false in line for line in lines), lines
    wrong = {claim.claim for claim in check_release("f.json", "f.csv") if not claim.true}
    assert any(false in claim for claim in wrong)


@pytest.mark.usefixtures("released")
def test_totals_of_regions_add_up_to_the_whole():
    found = estimate_release("r.csv", "r.json")
    assert [(one.name, one.groups, one.units) for one in found.regions] == [
        ("north", 3, 8),
        ("south", 1, 3),
        ("west", 1, 2),
    ]
    assert sum(one.total.value for one in found.regions) == pytest.approx(found.total.value, abs=1e-12)
    for one in found.regions:
        assert one.share.value == pytest.approx(one.total.value / one.units)
        assert one.share.standard_error == pytest.approx(one.total.standard_error / one.units)
    groups = estimate_groups("r.csv", "r.json")
    exact = dict(zip(groups.names, groups.rows, strict=True))
    assert (found.regions[1].total.low, found.regions[1].total.high) == exact["south", "1"][2:4]


@pytest.mark.slow
def test_the_total_of_a_region_is_unbiased_and_its_variance_that_of_the_noise():
    """Over all outputs of two groups in a region; a third group, elsewhere, adds nothing."""
    made = {n: design(DesignProblem(n, "3/5", properties="WH,RM,CM", loss="L1")).mechanism for n in (2, 3)}
    for truth in product(range(3), range(4)):
        mean = square = Fraction(0)
        for outputs in product(range(3), range(4)):
            chance = made[2].fraction(outputs[0], truth[0]) * made[3].fraction(outputs[1], truth[1])
            own = {2: {outputs[0]: 1}, 3: {outputs[1]: 1}}
            every = {2: dict(Counter({outputs[0]: 1}) + Counter({1: 1})), 3: own[3]}
            found = estimate_sizes(made, every, by_region={"north": own, "west": {2: {1: 1}}}).regions[0].total
            mean += chance * Fraction(found.value)
            square += chance * Fraction(found.value) ** 2
        assert float(mean) == pytest.approx(sum(truth), abs=1e-9)
        least, largest = (sum(pick(_variances(made[n])) for n in made) for pick in (min, max))
        assert least - 1e-9 <= float(square - mean**2) <= largest + 1e-9
        assert least - 1e-9 <= found.standard_error**2 <= largest + 1e-9


def _variances(mechanism):
    """By the definition: the estimates solve sum_i c_i P[i,j] = j."""
    matrix = mechanism.matrix()
    weights = np.linalg.solve(matrix.T, np.arange(matrix.shape[1]))
    return [float(weights**2 @ matrix[:, j]) - j * j for j in range(matrix.shape[1])]


@pytest.mark.slow
def test_intervals_of_regions_cover():
    """At 95 %, over 400 draws of 60 areas, of which few units are counted: the sum of released counts is far off."""
    made = {4: design(DesignProblem(4, "2/5", properties="WH,RM,CM", loss="L1")).mechanism}
    chances, held, sums = made[4].matrix()[:, 0], 0, 0
    source = np.random.default_rng(1)
    for counts in source.multinomial(60, chances, size=400):
        found = {i: int(times) for i, times in enumerate(counts) if times}
        total = estimate_sizes(made, {4: found}, by_region={"a": {4: found}}).regions[0].total
        held += total.low <= 0 <= total.high
        sums += sum(i * times for i, times in found.items())
    assert held >= 0.92 * 400
    assert sums / 400 > 10  # though no unit is counted


@pytest.mark.usefixtures("people")
def test_a_region_without_an_inverse_has_no_total():
    asked = {**ASKED, "properties": "none", "loss": "L2"}
    asked |= {"epsilon": None, "alpha": "9/10"}
    release_file("people.csv", "r.csv", record="r.json", **asked)
    found = estimate_release("r.csv", "r.json")
    sizes = {"north": {3, 1, 4}, "south": {3}, "west": {2}}
    assert found.singular
    for one in found.regions:
        assert (one.total is None) == bool(sizes[one.name] & set(found.singular))
        assert (one.share is None) == (one.total is None)


@pytest.mark.slow
@pytest.mark.usefixtures("people")
def test_regions_of_a_law():
    rows = [(f"r{k % 3}", f"a{k}", bit) for k in range(12) for bit in [1] * (7 + k) + [0] * (200 + 9 * k)]
    write(rows)
    made = release_file("people.csv", "r.csv", record="r.json", seed=2, **ASKED)
    assert made.law is not None
    assert all(claim.true for claim in check_release("r.json", "r.csv"))
    assert program.main(["r.json", "r.csv"]) == PROVED
    truth = Counter()
    for region, _, bit in rows:
        truth[region] += bit
    for one in estimate_release("r.csv", "r.json").regions:
        assert abs(one.total.value - truth[one.name]) <= 4 * one.total.standard_error
