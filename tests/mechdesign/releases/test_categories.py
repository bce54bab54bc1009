"""Microdata with a category: one draw for each value, of which a unit that moves from one to another changes two."""

import csv
import hashlib
import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from tampering import set_in
from two_checkers import FALSE, PROVED, UNREADABLE
from wording import refused

from mechdesign.errors import InputError
from mechdesign.ledgers.ledger import BudgetError, Ledger
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

VALUES = ("job", "none", "school")
ASKED = {"category": "work=job/none/school", "group": "area", "epsilon": 1}


@pytest.fixture(autouse=True)
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write([(f"r{area % 2}", area, VALUES[k * k % 3]) for area in (10, 9, 2) for k in range(area)])


def write(rows):
    lines = (",".join(map(str, row)) for row in rows)
    Path("people.csv").write_text("\n".join(["region,area,work", *lines]) + "\n")


@pytest.fixture
def released():
    return release_file("people.csv", "r.csv", record="r.json", intervals="0.9", seed=1, **ASKED)


def test_the_joint_law_of_one_area_keeps_epsilon_where_a_unit_moves():
    """All outputs of an area of 4 units with 3 values, for all pairs of true counts that a moving unit joins."""
    privacy = Privacy(epsilon=1)
    designs = DesignedSizes(DesignRequest(privacy.split(2)))
    mechanism = designs.mechanism(4)
    cases = [counts for counts in product(range(5), repeat=3) if sum(counts) == 4]
    outputs = list(product(range(5), repeat=3))
    weights = mechanism.weights
    joint = {
        case: [weights[a][case[0]] * weights[b][case[1]] * weights[c][case[2]] for a, b, c in outputs] for case in cases
    }
    worst = Fraction(1)
    pairs = 0
    for case in cases:
        for i, j in product(range(3), repeat=2):
            if i == j or not case[i]:
                continue
            moved = list(case)
            moved[i], moved[j] = moved[i] - 1, moved[j] + 1
            pairs += 1
            ratios = (Fraction(x, y) for x, y in zip(joint[case], joint[tuple(moved)], strict=True))
            worst = max(worst, *ratios)
    assert pairs == 60
    made = release_file("people.csv", "r.csv", record="r.json", **ASKED)
    assert worst <= 1 / made.alpha
    assert worst > 1 / designs.alpha  # one draw's promise would not do
    assert made.alpha == designs.alpha**2


@pytest.mark.usefixtures("released")
def test_a_row_for_each_value_of_each_group():
    rows = [line.split(",") for line in Path("r.csv").read_text().splitlines()]
    assert rows[0] == ["area", "work", "size", "released", "low", "high", "low_all", "high_all"]
    assert [tuple(row[:3]) for row in rows[1:]] == [(str(n), value, str(n)) for n in (2, 9, 10) for value in VALUES]
    found = estimate_groups("r.csv", "r.json", confidence="0.9")
    assert found.columns == ("group", "value")
    assert [[*name, *map(str, numbers)] for name, numbers in zip(found.names, found.rows, strict=True)] == rows[1:]


def test_the_record_and_its_statement(released):
    data = json.loads(Path("r.json").read_text())
    assert (data["format"], data["column"], data["values"]) == ("mechdesign-release/4", "work", list(VALUES))
    assert (data["groups"], data["units"]) == (3, 21)
    assert data["privacy"]["epsilon"] == pytest.approx(1, abs=1e-8)
    assert (released.counts, released.alpha) == (9, Fraction(data["privacy"]["alpha"]))
    for words in (
        "9 counts were released, 3 of each group. All of them together spend epsilon = 1 ",
        "one person's work changed, which moves two counts of its group by 1 each. Each count was drawn with half of",
        "The counts are of work, one for each of its values (job, none, school) in each area.",
        "The released counts of a group need not add up to its size.",
    ):
        assert words in data["statement"]
    assert record_text(read_stored_record(Path("r.json")).record) == Path("r.json").read_text()
    assert all(claim.true for claim in check_release("r.json", "r.csv"))
    assert program.main(["r.json", "r.csv"]) == PROVED


def test_alpha_is_what_a_unit_is_given_in_all():
    made = release_file("people.csv", "r.csv", **{**ASKED, "epsilon": None, "alpha": "9/16"})
    assert made.alpha == Fraction(9, 16)
    assert {entry.document.problem.privacy.alpha for entry in made.sizes} == {Fraction(3, 4)}


def test_names_and_sizes_are_those_of_the_input():
    release_file("people.csv", "r.csv", record="r.json", key="secret", **ASKED)
    assert all(claim.true for claim in check_release("r.json", "r.csv", "people.csv", "secret"))


def test_the_counts_are_those_of_the_input():
    """At so large an epsilon that nothing is changed."""
    release_file(
        "people.csv", "r.csv", **{**ASKED, "epsilon": None, "alpha": "1/1000000000000", "group": "region,area"}
    )
    rows = list(csv.DictReader(Path("r.csv").read_text().splitlines()))
    found = {(row["region"], row["area"], row["work"]): int(row["released"]) for row in rows}
    truth = dict.fromkeys(found, 0)
    for row in csv.DictReader(Path("people.csv").read_text().splitlines()):
        truth[row["region"], row["area"], row["work"]] += 1
    assert found == truth


@pytest.mark.parametrize(
    "asked",
    [
        "work",
        "work=job",
        "work=job/job",
        "work=job/",
        "work=" + "/".join(map(str, range(21))),
        "work=job/none",
        "area=2/9/10",
        "jobs=a/b",
    ],
)
def test_categories_that_cannot_be_counted(asked):
    write([("n", 1, value) for value in ("job", "none", "job", "job", "school")])
    with refused(InputError):
        release_file("people.csv", "r.csv", **{**ASKED, "category": asked})
    assert not Path("r.csv").exists()


@pytest.mark.parametrize("more", [{"bit": "work"}, {"group": None}, {"column": "area"}, {"mechanism": "m.json"}])
def test_options_that_do_not_go_with_a_category(more):
    with pytest.raises(InputError):
        release_file("people.csv", "r.csv", **{**ASKED, **more})


def test_a_ledger_pays_epsilon_once():
    Ledger.new("l.db", budget="1.5")
    made = release_file("people.csv", "r.csv", record="r.json", ledger="l.db", dataset="homes", **ASKED)
    (entry,) = Ledger.open("l.db").entries()
    assert entry.alpha == made.alpha
    with pytest.raises(BudgetError):
        release_file("people.csv", "q.csv", ledger="l.db", dataset="homes", **ASKED)


@pytest.mark.usefixtures("released")
def test_estimates_are_of_one_value():
    with refused(InputError, about="value"):
        estimate_release("r.csv", "r.json")
    rows = [line.split(",") for line in Path("r.csv").read_text().splitlines()[1:]]
    mechanisms = {entry.size: entry.mechanism for entry in read_stored_record(Path("r.json")).record.sizes}
    for value in VALUES:
        found = estimate_release("r.csv", "r.json", value=value)
        counts = {int(row[2]): {int(row[3]): 1} for row in rows if row[1] == value}
        assert found == estimate_sizes(mechanisms, counts)
        assert (found.groups, found.units) == (3, 21)


def test_regions_and_values_together():
    release_file("people.csv", "r.csv", record="r.json", seed=1, **{**ASKED, "group": "region,area"})
    assert program.main(["r.json", "r.csv"]) == PROVED
    assert all(claim.true for claim in check_release("r.json", "r.csv"))
    found = estimate_release("r.csv", "r.json", value="job")
    assert [(one.name, one.units) for one in found.regions] == [("r0", 12), ("r1", 9)]
    assert estimate_groups("r.csv", "r.json").columns == ("region", "group", "value")


def test_a_value_goes_with_a_category():
    write([("n", 1, "1"), ("n", 1, "0")])
    release_file("people.csv", "r.csv", record="r.json", bit="work", group="area", epsilon=1)
    with refused(InputError, about="value"):
        estimate_release("r.csv", "r.json", value="job")


@pytest.mark.slow
def test_a_category_by_a_law():
    write([("n", area, VALUES[k % 3]) for area in range(8) for k in range(150 + 40 * area)])
    made = release_file("people.csv", "r.csv", record="r.json", intervals="0.95", seed=4, **ASKED)
    assert made.law is not None
    assert sum(made.law.groups.values()) == 8
    assert all(claim.true for claim in check_release("r.json", "r.csv"))
    assert program.main(["r.json", "r.csv"]) == PROVED
    found = estimate_release("r.csv", "r.json", value="none").total
    assert abs(found.value - sum((149 + 40 * area + 1) // 3 for area in range(8))) <= 4 * found.standard_error + 8
    data = json.loads(Path("r.json").read_text())
    data["privacy"] = {"alpha": "3/5", "epsilon": 0.5108256238}
    Path("f.json").write_text(json.dumps(data))
    assert program.main(["f.json"]) == FALSE
    assert "the law keeps the record's alpha" in {claim.claim for claim in check_release("f.json") if not claim.true}


def test_a_quote_spends_epsilon_in_all():
    privacy = Privacy(epsilon=1)
    designs = DesignedSizes(DesignRequest(privacy.split(2)))
    counted = InputColumns("person", group="area", category=ASKED["category"])
    found = quote_release(Path("people.csv"), counted, designs, b"k", lambda read: None)
    assert found.alpha == designs.alpha**2
    assert (found.groups, found.published) == (3, ("area", "work", "size"))


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (set_in("values", value=None), FALSE),
        (set_in("values", value=["job"]), UNREADABLE),
        (set_in("values", value=["job", "job"]), UNREADABLE),
        (set_in("values", value=["job", 1]), UNREADABLE),
        (set_in("values", value=["job", ""]), UNREADABLE),
        (set_in("values", value=list(map(str, range(21)))), UNREADABLE),
        (set_in("values", value=list(map(str, range(20)))), FALSE),
        (set_in("values", value="job"), UNREADABLE),
        (set_in("group", value=None), UNREADABLE),
        (set_in("values", value=["none", "job", "school"]), FALSE),
        (set_in("values", value=["job", "none"]), FALSE),
        (set_in("privacy", value={"alpha": "27634/75117", "epsilon": 1}), FALSE),
        (set_in("privacy", value={"alpha": "3/5", "epsilon": 0.5108256238}), FALSE),
        (set_in("groups", value=9), FALSE),
        (lambda data: data.pop("values"), UNREADABLE),
    ],
)
@pytest.mark.usefixtures("released")
def test_each_rule_of_a_record_of_a_category(change, verdict, capsys):
    data = json.loads(Path("r.json").read_text())
    change(data)
    Path("f.json").write_text(json.dumps(data))
    assert program.main(["f.json", "r.csv"]) == verdict, capsys.readouterr()
    try:
        by_engine = PROVED if all(claim.true for claim in check_release("f.json", "r.csv")) else FALSE
    except InputError:
        by_engine = UNREADABLE
    assert by_engine == verdict


@pytest.mark.usefixtures("released")
@pytest.mark.parametrize(
    ("old", "new", "false"),
    [
        ("2,none,2", "2,job,2", "every group has a count of each value"),
        ("2,none,2", "2,none,3", "every group has a count of each value"),
        ("2,none,2", "3,none,2", "every group has a count of each value"),
        ("9,", "2,", "every group stands once"),
        ("2,", "99,", "the groups are sorted by name"),
    ],
)
def test_outputs_that_were_changed(old, new, false, capsys):
    written = Path("r.csv").read_text()
    lines = written.splitlines(keepends=True)
    forged = "".join(new + line.removeprefix(old) if line.startswith(old) else line for line in lines)
    assert forged != written
    digests = (hashlib.sha256(data.encode()).hexdigest() for data in (written, forged))
    Path("f.json").write_text(Path("r.json").read_text().replace(*digests))
    Path("f.csv").write_text(forged)
    assert program.main(["f.json", "f.csv"]) == FALSE
    lines = capsys.readouterr().out.splitlines()
    assert any("FALSE" in line and false in line for line in lines), lines
    wrong = {claim.claim for claim in check_release("f.json", "f.csv") if not claim.true}
    assert any(false in claim for claim in wrong)
