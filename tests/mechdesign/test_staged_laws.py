"""Laws that are best in further respects: beside matrices, in documents, and where there is none."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from mutants import documents_of, each_noticed
from tampering import set_in, tampered
from two_checkers import FALSE, PROVED, UNREADABLE, by_program
from wording import check_wording, refused

from mechdesign.audits.reading import read_design
from mechdesign.designs import design
from mechdesign.documents.document import design_document
from mechdesign.documents.storage import export
from mechdesign.errors import InputError
from mechdesign.laws.finding import design_law
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.verify import layer_duals

SETTINGS = [
    ("4/5", "WH,CM", "L0", ("L1",)),
    ("4/5", "WH,RM,CM", "L0", ("L2", "L1")),
    ("3/4", "CH", "L0", ("L1", "L2")),
    ("2/3", "CM", "L1", ("L0",)),
    ("1/2", "WH,CM", "L0", ("L1", "L2")),
    ("9/10", "RM", "L0", ("L2",)),
]


@pytest.mark.parametrize(("alpha", "properties", "loss", "then"), SETTINGS)
def test_a_law_is_as_good_as_the_best_matrix_in_every_respect(alpha, properties, loss, then):
    law = design_law(alpha=alpha, properties=properties, loss=loss, then=then)
    assert law.excess == law.bound_excess == design_law(alpha=alpha, properties=properties, loss=loss).excess
    assert all(own == bound for own, bound in (stage.excess(law.layer) for stage in law.stages))
    n = law.least
    best = design(DesignProblem(n, alpha, properties=properties, loss=loss), then=then)
    assert law.score(n)[0] == best.score
    assert [stage.score(law.layer, n)[0] for stage in law.stages] == [stage.score for stage in best.stages]


@pytest.mark.parametrize(("alpha", "properties", "loss", "then"), SETTINGS)
def test_at_one_size_the_kernel_of_matrices_proves_the_same(alpha, properties, loss, then):
    law = design_law(alpha=alpha, properties=properties, loss=loss, then=then)
    for n in (law.least, law.least + 9):
        found = law.design(n)
        assert found.status == law.status(n)
        for stage, own in zip(law.stages, found.stages, strict=True):
            assert stage.score(law.layer, n)[0] == own.score
            assert abs(stage.bound(law.layer, n)[0] - own.lower_bound) <= own.score / 2**190


LAW = design_law(alpha="4/5", properties="WH,CM", then=("L1", "L2"))
LATE = design_law(alpha="3/4", properties="CM", then="L2")
"""One that is proved from a larger n on than plain conditions say."""

ONLY = design_law(alpha="1/2", properties="WH,CM", then=("L1", "L2"))


def test_known_values():
    assert LAW.excess[0] == Fraction(-821, 2304)
    assert LAW.stages[0].excess(LAW.layer)[0] == Fraction(-28295, 2304)
    assert LAW.stages[0].penalties == (16,)
    assert LAW.status(1000) == "certified"
    assert LAW.stage_gap(LAW.stages[0], 1000) < Fraction(1, 10**50)
    assert design_law(alpha="4/5", properties="WH,CM").is_only is False


@pytest.mark.parametrize("n", [2, 40, 10**6])
def test_where_no_other_is_as_good_the_law_is_exact_in_every_respect(n):
    assert ONLY.is_only
    assert ONLY.status(n) == "exact"
    assert [stage.gap(ONLY.layer, n) for stage in ONLY.stages] == [0, 0]
    assert ONLY.mechanism == design_law(alpha="1/2", properties="WH,CM").mechanism


def test_a_random_dual_that_is_accepted_is_one_at_every_size():
    """The kernel of matrices walks all rows at n, and knows none of the conditions free of n."""
    law, chance, accepted = design_law(alpha="7/10", properties="CM", then="L1"), random.Random(5), 0
    (stage,) = law.stages
    prices = stage.certificate["prices"]
    for _ in range(60):
        k, change = chance.randrange(len(prices)), chance.randint(-3, 1) * stage.certificate.scale // 40
        other = stage.certificate.changed(prices=(*prices[:k], prices[k] + change, *prices[k + 1 :]))
        changed = replace(law, stages=(replace(stage, certificate=other),))
        (own,) = changed.stages
        try:
            layer_duals.dual_excess(own.dual, 1, law.problem.properties)
        except ValueError:
            continue
        accepted += 1
        for n in (layer_duals.proved_from(own.dual, 1), 24):
            found = changed.design(n).stages[0]
            assert found.lower_bound >= own.bound(law.layer, n)[0] - found.score / 2**190
    assert 10 < accepted < 60


@pytest.mark.parametrize("n", [None, 30, 300])
@pytest.mark.parametrize("law", [LAW, ONLY, design_law(epsilon="0.3", properties="CM", then="L1")])
def test_a_document_is_proved_and_read_back(law, n, tmp_path):
    path = tmp_path / "law.json"
    export(law, path)
    assert by_program(path) == PROVED
    read = read_design(path)
    assert (read.stages, read.mechanism, read.least) == (law.stages, law.mechanism, law.least)
    assert design_document(law, n)["format"] == "mechdesign-design/5"


def higher(data):
    """A bound between the true one and the score."""
    entry = data["stages"][0]
    bound = (Fraction(entry["lower_bound"]["exact"]) + 3 * Fraction(entry["score"]["exact"])) / 4
    entry["lower_bound"] = {"exact": str(bound), "value": float(bound)}


def relaxed(data):
    """The layer that is best under L0 alone, which has a larger L1."""
    plain = design_document(design_law(alpha="4/5", properties="WH,RM,CM"))
    data["mechanism"] = plain["mechanism"]


FORGED = [
    (set_in("stages", 0, "penalties", value=["15"]), FALSE),
    (set_in("stages", 0, "penalties", value=["17"]), FALSE),
    (set_in("stages", 0, "penalties", value=["-16"]), UNREADABLE),
    (set_in("stages", 0, "penalties", value=[]), UNREADABLE),
    (set_in("stages", 1, "penalties", value=["16"]), UNREADABLE),
    (set_in("stages", 0, "loss", value="L2"), UNREADABLE),
    (set_in("stages", 0, "loss", value="L0"), UNREADABLE),
    (set_in("stages", 0, "excess", "layer", value="-12"), FALSE),
    (set_in("stages", 0, "excess", "bound", value="-12"), FALSE),
    (set_in("stages", 0, "score", "value", value=2.5), FALSE),
    (set_in("stages", 1, "lower_bound", "value", value=2.5), FALSE),
    (set_in("stages", 0, "lower_bound", "exact", value="3"), FALSE),
    (set_in("stages", 0, "dual", "prices", 0, value="1000000000"), FALSE),
    (set_in("stages", 0, "dual", value={"kind": "only"}), UNREADABLE),
    (set_in("stages", value=[]), UNREADABLE),
    (set_in("status", value="exact"), FALSE),
    (set_in("format", value="mechdesign-design/3"), UNREADABLE),
    (relaxed, FALSE),
    (higher, FALSE),
]


@pytest.mark.parametrize("place", range(len(FORGED)))
def test_a_forged_further_respect_is_refused(place, tmp_path):
    change, verdict = FORGED[place]
    path = tampered(LAW, tmp_path, change)
    assert by_program(path) == verdict


def only(data):
    """The claim that no other law is as good, of one that has others."""
    for stage in data["stages"]:
        stage.update(dual={"kind": "only"}, penalties=[], lower_bound=stage["score"])
        stage["excess"]["bound"] = stage["excess"]["layer"]
    data["status"] = "exact"


def test_only_the_geometric_mechanism_is_the_only_one(tmp_path):
    path = tampered(LAW, tmp_path, only)
    assert by_program(path) == FALSE
    path = tampered(ONLY, tmp_path, only)
    assert by_program(path) == PROVED


MUTANTS = [
    ("laws.py", "least -= sum(", "least += sum("),
    ("laws.py", "proved -= sum(", "proved += sum("),
    ("laws.py", "least == stage.excess[1], f", "True, f"),
    ("laws.py", "found == stage.excess[0] and", "True and"),
    ("laws.py", "law.power == 0 and layered.layer.depth == 1 and", "True and"),
    ("laws.py", "if not stated.low <= proved:", "if False:"),
    ("laws.py", "equal and all(stage.dual is None for stage in law.stages)", "equal"),
    ("layer_duals.py", "linear * distance +", "distance +"),
]


TRUE = [(LAW, dict), (ONLY, dict), (LATE, dict)]
documents = documents_of(lambda: [*((LAW, change) for change, _ in FORGED), (LAW, only), *TRUE])
test_a_changed_statement_is_noticed = each_noticed(MUTANTS)


REFUSED = [
    {"then": "L0"},
    {"then": ("L1", "L1")},
    {"then": "worst:L1"},
    {"then": "canonical"},
    {"then": "L3"},
    {"then": "L1", "properties": "F"},
    {"then": "L1", "aggregate": "worst"},
    {"then": "L0", "properties": "WH", "loss": "L1"},
]


@pytest.mark.parametrize("asked", REFUSED)
def test_what_no_law_is_the_best_in_is_refused_in_a_line(asked):
    with refused(InputError, about="then"):
        design_law(alpha="4/5", **asked)


def test_the_words_of_further_respects():
    check_wording(repr(LAW.facts()))
    check_wording(repr(ONLY.facts()))
