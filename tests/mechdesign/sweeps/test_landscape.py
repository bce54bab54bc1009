"""The landscape against every subset solved by itself, golden scores, and solvers that know less than they should."""

import itertools
import json
from dataclasses import replace
from fractions import Fraction

import pytest
from cases import SKEWED
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import (
    DesignProblem,
    InputError,
    LimitReachedError,
    NotCertifiedError,
    Prior,
    RefusedError,
    design,
    design_law,
)
from mechdesign.documents.document import document_text
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair_score
from mechdesign.problem.properties import closure
from mechdesign.sweeps.landscape import (
    ScoreClass,
    all_subsets,
    closed_subsets,
    covers,
    landscape,
    landscape_document,
)
from mechdesign.sweeps.subset_designs import with_properties

NAMES = ("WH", "RH", "RM", "CH", "CM", "F", "S")
EVERY = [subset for size in range(8) for subset in itertools.combinations(NAMES, size)]
GOLDEN = ["18/19", "227147/236196", "114025/118098", "278559/287608"]


def exactly(problem, seconds=None):
    return design(problem, exact=True)


def implies_only_itself(subset):
    """Closed under the implications of the design notes, spelled out once more."""
    s = set(subset)
    return (
        ("RM" not in s or "RH" in s)
        and ("CM" not in s or "CH" in s)
        and ("CH" not in s or "WH" in s)
        and (not {"F", "RH"} <= s or "CH" in s)
        and (not {"F", "CH"} <= s or "RH" in s)
    )


@pytest.mark.parametrize(("prior", "count"), [("uniform", 18), (SKEWED, 36)])
def test_the_closed_subsets_are_those_that_imply_only_themselves(prior, count):
    found = closed_subsets(DesignProblem(4, "9/10", prior=prior))
    drawn = [s for s in EVERY if implies_only_itself(s) and (count == 36 or "S" not in s)]
    assert len(found) == count
    assert found == [frozenset(s) for s in drawn]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loss", "alpha", "prior"),
    [("L0", "9/10", SKEWED), ("L1", "9/10", "uniform"), ("L0", "7/10", "uniform"), ("L1", "7/10", SKEWED)],
)
def test_the_landscape_is_what_solving_all_128_subsets_gives(loss, alpha, prior):
    problem = DesignProblem(4, alpha, loss=loss, prior=prior)
    by_score = {}
    for subset in EVERY:
        result = exactly(DesignProblem(4, alpha, loss=loss, prior=prior, properties=subset))
        assert result.status == "exact"
        by_score.setdefault(result.score, []).append(subset)
    found = landscape(problem)
    assert [(group.score, list(group.subsets)) for group in found.classes] == sorted(by_score.items())
    assert found.is_exact
    assert len(by_score) <= len(found.solved) < len(found.closed)


def test_the_golden_scores_and_the_collapse_under_l0():
    found = landscape(DesignProblem(8, "9/10"))
    assert [str(group.score) for group in found.classes] == GOLDEN
    assert [len(group.subsets) for group in found.classes] == [8, 8, 48, 64]
    assert [group.weakest for group in found.classes] == [((),), (("WH",),), (("CH",),), (("F",),)]
    tops = [(("RM",),), (("WH", "RM"),), (("RM", "CM"),), (("RM", "CM", "F"),)]
    assert [group.strictest for group in found.classes] == tops
    assert found.class_of(("CM", "WH")) == 2
    assert found.class_of(NAMES) == 3


@pytest.mark.parametrize(("n", "alpha"), [(2, "9/10"), (3, "99/100"), (5, "62/100"), (6, "1/10"), (12, "10/11")])
def test_l0_has_at_most_four_classes(n, alpha):
    assert len(landscape(DesignProblem(n, alpha)).classes) <= 4


def test_solves_that_are_spared():
    one_person = landscape(DesignProblem(1, "9/10", loss="L1"))
    assert one_person.solved == (frozenset(),)
    assert [group.subsets for group in one_person.classes] == [tuple(all_subsets())]
    geometric = landscape(DesignProblem(6, "2/5"))  # GM is optimal and has all but F, EM is optimal and has all
    assert geometric.solved == (frozenset(), frozenset(NAMES) - {"S"}, frozenset({"F"}))
    assert [len(group.subsets) for group in geometric.classes] == [64, 64]


priors = st.one_of(
    st.sampled_from(["uniform", "binomial:1/2", "binomial:1/5"]),
    st.lists(st.integers(1, 9), min_size=4, max_size=4).map(
        lambda w: Prior.from_weights([Fraction(x, sum(w)) for x in w])
    ),
)


@pytest.mark.slow
@settings(max_examples=12)
@given(st.sampled_from(["L0", "L1", "L2", "L0:1"]), st.fractions("1/20", "19/20", max_denominator=30), priors)
def test_classes_are_ordered_disjoint_complete_and_monotone(loss, alpha, prior):
    found = landscape(DesignProblem(3, alpha, loss=loss, prior=prior))
    scores = [group.score for group in found.classes]
    assert scores == sorted(set(scores))
    members = [subset for group in found.classes for subset in group.subsets]
    assert len(members) == 128
    assert set(members) == set(EVERY)
    home = {frozenset(subset): number for number, group in enumerate(found.classes) for subset in group.subsets}
    for subset, number in home.items():
        assert all(number <= home[subset | {name}] for name in NAMES)
        assert number == found.class_of(subset)
    for group in found.classes:
        assert list(group.subsets) == sorted(group.subsets, key=EVERY.index)
        assert {group.score} == {found.classes[home[frozenset(subset)]].score for subset in group.closed}
        for subset in group.closed:
            assert any(set(low) <= subset for low in group.weakest)
        assert set(group.weakest) | set(group.strictest) <= set(group.subsets)


@pytest.mark.parametrize("prior", ["uniform", SKEWED], ids=["uniform", "skewed"])
def test_the_hasse_diagram_has_the_inclusions_and_no_shortcut(prior):
    closed = closed_subsets(DesignProblem(4, "9/10", prior=prior))
    edges = covers(closed)
    above = {low: {high for start, high in edges if start == low} for low in closed}
    for low in reversed(closed):
        above[low] = above[low].union(*(above[high] for high in above[low]))
    assert above == {low: {high for high in closed if low < high} for low in closed}
    assert len(edges) == (29 if prior == "uniform" else 2 * 29 + 18)
    assert not any((low, mid) in edges and (mid, high) in edges for low, high in edges for mid in closed)


def test_equality_that_is_not_proved_is_not_claimed():
    unproved, slack = (frozenset({"WH"}), frozenset({"WH", "RH"})), Fraction(1, 10**9)

    def unsure(problem, seconds):
        result = exactly(problem)
        return replace(result, lower_bound=result.score - slack) if problem.properties in unproved else result

    found = landscape(DesignProblem(8, "9/10"), solve=unsure)
    assert not found.is_exact
    assert [(group.status, str(group.score), len(group.subsets)) for group in found.classes] == [
        ("exact", GOLDEN[0], 8),
        ("certified", GOLDEN[1], 2),
        ("certified", GOLDEN[1], 2),
        ("exact", GOLDEN[1], 4),
        ("exact", GOLDEN[2], 48),
        ("exact", GOLDEN[3], 64),
    ]
    score = Fraction(GOLDEN[1])
    assert found.classes[1] == ScoreClass(score, score - slack, (unproved[0],), (("WH",), ("WH", "S")))


def test_long_vertices_are_still_compared_exactly():
    found = landscape(DesignProblem(4, "0.9" + "0" * 150 + "1"))
    assert found.is_exact
    assert [len(group.subsets) for group in found.classes] == [8, 8, 48, 64]


def test_what_one_solve_leaves_open_its_neighbours_may_settle():
    """GM is best for WH, and the bound of the subset without properties proves it where WH's own does not."""
    weak = frozenset({"WH"})

    def unsure(problem, seconds):
        result = exactly(problem)
        if not problem.properties:
            return replace(result, holds=())  # nothing is spared, so that WH is solved
        return replace(result, lower_bound=result.score - 1) if problem.properties == weak else result

    found = landscape(DesignProblem(6, "2/5"), solve=unsure)
    assert weak in found.solved
    assert found.is_exact
    assert found.class_of(weak) == 0


def test_proofs_that_contradict_each_other_are_refused():
    def boastful(problem, seconds):
        result = exactly(problem)
        return replace(result, lower_bound=result.score + 1)

    with refused(RefusedError):
        landscape(DesignProblem(4, "9/10"), solve=boastful)


def test_no_answer_names_the_subset():
    def helpless(problem, seconds):
        if "F" in problem.properties:
            raise NotCertifiedError("not certified: no way")
        return exactly(problem)

    with refused(NotCertifiedError):
        landscape(DesignProblem(4, "9/10"), solve=helpless)
    with refused(LimitReachedError):
        landscape(DesignProblem(4, "9/10"), time_limit=1e-12)


def test_every_solve_gets_what_is_left_of_the_time():
    seen = []

    def timed(problem, seconds):
        seen.append(seconds)
        return exactly(problem)

    landscape(DesignProblem(3, "9/10", loss="L1"), time_limit=1000, solve=timed)
    assert seen[0] <= 1000
    assert all(later < earlier for earlier, later in itertools.pairwise(seen))
    seen.clear()
    landscape(DesignProblem(3, "9/10"), solve=timed)
    assert set(seen) == {None}


def test_progress_counts_the_closed_subsets():
    told = []
    landscape(DesignProblem(3, "9/10"), on_progress=told.append)
    assert told == list(range(1, 19))


def test_a_problem_with_properties_is_refused():
    with refused(InputError, about="problem"):
        landscape(DesignProblem(4, "9/10", properties="CM,WH"))


def test_only_the_properties_change():
    problem = DesignProblem(4, "9/10", loss="L1:1", prior=SKEWED)
    changed = with_properties(problem, ["CM"])
    assert changed == DesignProblem(4, "9/10", loss="L1:1", prior=SKEWED, properties="CM")
    assert with_properties(changed, ()) == problem


def test_decimals_tell_the_classes_apart():
    assert landscape(DesignProblem(8, "9/10")).decimals == ("0.947369", "0.961689", "0.965512", "0.968538")
    close = landscape(DesignProblem(3, "0.999999", loss="L1"))
    assert len(set(close.decimals)) == len(close.classes) > 2
    tiny = landscape(DesignProblem(2, "1e-18"))
    assert [float(text) for text in tiny.decimals] == pytest.approx(
        [float(c.score) for c in tiny.classes], rel=1e-5, abs=0
    )


def test_the_document():
    found = landscape(DesignProblem(4, "9/10", loss="L1"))
    names = [None] * len(found.classes)
    document = json.loads(document_text(landscape_document(found, names)))
    assert document["problem"]["loss"] == "L1"
    assert document["problem"]["properties"] == []
    assert document["classes"][0]["score"] == {"exact": "6/5", "value": 1.2}
    assert document["classes"][0]["weakest"] == [[]]
    assert [len(c["subsets"]) for c in document["classes"]] == [len(group.subsets) for group in found.classes]
    closed = [entry["closed"] for entry in document["lattice"]]
    assert sorted(s for c in document["classes"] for s in c["closed"]) == sorted(closed)
    assert len(closed) == 18
    assert all(subset in closed for subset in document["solved"])
    assert document["symmetry_is_free"] is True
    with refused(ValueError):
        landscape_document(found, [])


def test_the_lattice_of_the_document():
    found = landscape(DesignProblem(4, "7/10", prior="binomial:1/5"))
    document = json.loads(document_text(landscape_document(found, [None] * len(found.classes))))
    lattice, classes = document["lattice"], document["classes"]
    assert len(lattice) == 36
    for entry in lattice:
        assert entry["closed"] in classes[entry["class"] - 1]["closed"]
        assert closure(entry["asked"]) == set(entry["closed"])
        for left_out in entry["asked"]:
            assert left_out not in closure(set(entry["asked"]) - {left_out})
    below = {k: set(entry["covers"]) for k, entry in enumerate(lattice)}
    for k, lower in below.items():  # what covers say, told step by step, is inclusion
        todo, under = list(lower), set[int]()
        while todo:
            one = todo.pop()
            under.add(one)
            todo += below[one]
        mine = set(lattice[k]["closed"])
        assert under == {j for j, other in enumerate(lattice) if set(other["closed"]) < mine}
        assert not any(a != b and a in below[b] for a in lower for b in lower)
    free = Fraction(classes[0]["score"]["exact"])
    assert classes[0]["price"] == {"exact": "0", "value": 0.0}
    for group in classes:
        assert Fraction(group["price"]["exact"]) == Fraction(group["score"]["exact"]) - free


def test_a_landscape_of_large_groups_is_made_of_laws():
    """At 4/5 it has the classes of the LP at n = 20, with the scores of laws."""
    large, small = (landscape(DesignProblem(n, "4/5")) for n in (1000, 20))
    assert [group.closed for group in large.classes] == [group.closed for group in small.classes]
    scores = [design_law(alpha="4/5", properties=name).score(1000)[0] for name in ("none", "WH,RM,CM")]
    assert [group.score for group in large.classes] == [*scores, explicit_fair_score(1000, Fraction(4, 5))]
    assert large.is_exact
