"""The best oracle by name: what it is of the survey, and what the choice depends on."""

from collections import Counter
from dataclasses import dataclass
from itertools import product
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import Privacy, parse_workload
from mechdesign.errors import InputError
from mechdesign.methods.row_designs.floor import closed_form_floor
from mechdesign.problem.workload_problem import PRIVACY_BITS
from mechdesign.workloads.ordered import Histogram
from mechdesign_catalog import best_oracle, privatize
from mechdesign_catalog.comparisons import choosing, contenders
from mechdesign_catalog.comparisons.choosing import choose_oracle, chosen_of
from mechdesign_catalog.comparisons.marginals_survey import recommendable, survey_marginals
from mechdesign_catalog.comparisons.survey import RatedOracle, frugal_best, in_order
from mechdesign_catalog.comparisons.workload_survey import Rating, WorkloadStanding, rate, survey_workload
from mechdesign_catalog.systems.levels.warped_blocks import WarpedBlocks
from mechdesign_catalog.systems.levels.warped_levels import varies_more
from mechdesign_catalog.systems.registry import parse_oracle

TABLE = {"sex": ["f", "m"], "age": ["young", "old", "oldest"], "tip": ["yes", "no"]}


def missed(oracle, users):
    """Bound the chance that a level, of which an answer needs a report, has none."""
    chances = oracle.branch_chances if getattr(oracle, "needs_every_branch", False) else ()
    return sum((1 - float(chance)) ** users for chance in chances)


@pytest.mark.slow
@given(
    k=st.integers(4, 40),
    name=st.sampled_from(["ranges", "prefixes", "histogram"]),
    epsilon=st.sampled_from(["0.2", "1", "2", "5"]),
    users=st.sampled_from([100, 10_000]),
)
@settings(max_examples=10)
def test_the_best_has_the_fewest_bits_within_one_percent(k, name, epsilon, users):
    found = best_oracle(name, epsilon=epsilon, k=k, users=users)
    known = survey_workload(parse_workload(name, k), Privacy(epsilon=epsilon), users)
    honest = [one for one in known if not one.loses_more and missed(one.oracle, users) < 1e-6]
    least = min(one.variance for one in honest)
    chosen = next(one for one in honest if one.name == found)
    assert chosen.variance <= 1.01 * least
    assert all(chosen.oracle.bits <= one.oracle.bits for one in honest if one.variance <= 1.01 * least)
    assert parse_oracle(found, k, Privacy(epsilon=epsilon)).k == k


def settings_of_a_choice():
    """List 200 settings: five numbers of items, four workloads, five epsilons, few users and many."""
    names = ("ranges", "prefixes", "histogram", "circular")
    return list(product((4, 5, 6, 8, 16), names, ("0.2", "1", "2", "3", "5"), (300, 10_000)))


def test_nothing_that_is_left_out_would_change_the_choice(monkeypatch):
    is_sure = Counter()
    limit = choosing._limit

    def told(found, users):
        most = limit(found, users)
        is_sure[most == 0] += 1
        return most

    monkeypatch.setattr(choosing, "_limit", told)
    for k, name, epsilon, users in settings_of_a_choice():
        workload, privacy = parse_workload(name, k), Privacy(epsilon=epsilon)
        exhaustive = chosen_of(survey_workload(workload, privacy, users), users)
        assert choose_oracle(workload, privacy, users) == exhaustive.name, (k, name, epsilon, users)
    assert is_sure[True] > 20
    assert is_sure[False] > 20


def settings_of_laws():
    """List 39 settings at the ends of the laws and within, with their lead."""
    few = product((64, 67, 100), ("prefixes",), ("0.2", "1", "2.5", "4"), (300, 10_000))
    more = [(256, "prefixes", "6", 10_000), (513, "prefixes", "0.5", 10_000), (700, "prefixes", "1", 10_000)]
    many = product((513, 768, 1025), ("ranges", "circular"), ("0.2", "5"), (10_000,))
    return [*few, *more, *many]


def test_by_a_law_all_others_vary_much_more():
    for k, name, epsilon, users in settings_of_laws():
        workload, privacy = parse_workload(name, k), Privacy(epsilon=epsilon)
        winner = contenders.winner_by_law(workload, privacy)
        assert winner is not None, (k, name, epsilon)
        assert choose_oracle(workload, privacy, users) == winner
        first, *others = (one for one in survey_workload(workload, privacy, users) if not one.loses_more)
        assert first.name == winner, (k, name, epsilon, users)
        assert min(one.variance for one in others) > contenders.LEAD * first.variance, (k, name, epsilon, users)


def test_no_law_rules_beyond_its_ends():
    for k, name, epsilon in ((63, "prefixes", 1), (64, "prefixes", 5), (512, "ranges", 1), (600, "histogram", 1)):
        assert contenders.winner_by_law(parse_workload(name, k), Privacy(epsilon=epsilon)) is None
    few = parse_workload("ranges", 600)
    assert contenders.winner_by_law(few, Privacy(epsilon=1)) == "blocks"
    assert choose_oracle(few, Privacy(epsilon=1), 600) != "blocks"
    exhaustive = chosen_of(survey_workload(few, Privacy(epsilon=1), 600), 600)
    assert choose_oracle(few, Privacy(epsilon=1), 600) == exhaustive.name


@pytest.mark.parametrize("name", ["ranges", "prefixes", "grid:8,8"])
def test_no_variance_of_rounding_is_listed(name):
    """At a large epsilon the difference that a variance of levels is would be 0, and so the best."""
    workload = parse_workload(name, 64)
    for epsilon in ("20", "20.01", "30", "60"):
        privacy = Privacy(epsilon=epsilon)
        found = survey_workload(workload, privacy, 10_000)
        least = rate(parse_oracle("flat:grr", 64, privacy), workload, 10_000).average
        assert min(one.variance for one in found) == pytest.approx(least, rel=1e-5, abs=0)
        assert any("blocks" in one.name for one in found) == (epsilon == "20")
    for system in ("blocks", "warped-blocks", "blocks2:sides=8x8"):
        with refused(InputError):
            parse_oracle(system, 64, Privacy(epsilon="20.01"))


FACTS = st.tuples(st.integers(1, 3), st.sampled_from([1.0, 1.005, 1.012, 1.02]))
"""Bits of a system, and its variance."""


@given(st.lists(FACTS, min_size=1), FACTS, st.booleans())
def test_what_leaves_the_last_system_out_never_changes_the_choice(known, last, is_bounded):
    """The last has the bits of `warped-blocks`; no variance is below 1; a bound may show its variance or not."""
    workload, privacy = Histogram(4), Privacy(epsilon=1)
    usual = parse_oracle(f"{WarpedBlocks.name}:levels=uniform", 4, privacy).bits
    floor = closed_form_floor(workload, privacy.finer(PRIVACY_BITS).bound_alpha) / (100 * workload.count)

    def rated(name, bits, variance):
        oracle = SimpleNamespace(
            bits=usual + bits - last[0], row_bytes=1, server_bytes=1, alpha=privacy.alpha, privacy=privacy
        )
        return WorkloadStanding(name, oracle, Rating(variance * float(floor), lambda: (0.0, None)), workload)

    others = [rated(str(place), *facts) for place, facts in enumerate(known)]
    late = rated("late", *last)
    limit = choosing._limit(in_order(others), 100)
    left_out = limit == 0 or (is_bounded and late.variance > limit * (1 + contenders.ROUNDING))
    listed = others if left_out else [*others, late]
    assert frugal_best(in_order(listed)).name == frugal_best(in_order([*others, late])).name


def test_no_weights_of_warped_blocks_do_better_than_what_they_exceed():
    for k, name, epsilon in ((12, "ranges", "1"), (30, "histogram", "3")):
        workload, privacy = parse_workload(name, k), Privacy(epsilon=epsilon)
        least = WarpedBlocks(k, privacy, workload).average_variance(workload, 1)
        assert varies_more(workload, privacy, least * 0.99)
        assert not varies_more(workload, privacy, least)


@dataclass(frozen=True)
class Known(RatedOracle):
    """An oracle of which variance and bits are all that is known."""

    variance: float = 0.0

    def entry(self):
        return {}


@given(st.lists(st.floats(-1e-14, 1e-14), min_size=4, max_size=4))
@settings(max_examples=20)
def test_of_equal_variances_bits_and_then_the_registry_decide_whatever_rounding_does(errors):
    facts = [("first", 3, 1.0), ("second", 3, 1.0), ("frugal", 2, 1.0), ("poor", 1, 1.02)]
    rated = [
        Known(name, SimpleNamespace(bits=bits), variance * (1 + error))
        for (name, bits, variance), error in zip(facts, errors, strict=True)
    ]
    assert [one.name for one in in_order(rated)] == ["frugal", "first", "second", "poor"]
    assert [one.name for one in in_order(rated[:2])] == ["first", "second"]


@given(st.sampled_from([1.0, 1.009]), st.sampled_from([1.0, 1.009]))
def test_within_one_percent_bits_and_then_the_registry_decide(one, other):
    oracle = parse_oracle("grr", 4, Privacy(epsilon=1))
    rated = [Known("first", oracle, one), Known("second", oracle, other)]
    assert frugal_best(in_order(rated)).name == "first"


def test_subset_selection_comes_before_warped_blocks_that_are_the_same():
    found = survey_workload(Histogram(4), Privacy(epsilon="0.2"), 10_000)
    selection, warped = (next(one for one in found if one.name == name) for name in ("flat:ss", "warped-blocks"))
    assert warped.variance == pytest.approx(selection.variance, rel=1e-12)
    assert found.index(selection) < found.index(warped)
    assert best_oracle("histogram", epsilon="0.2", k=4) == "flat:ss"


def test_few_users_get_no_system_that_may_miss_a_level():
    assert best_oracle("ranges", epsilon=1, k=120) == "blocks"
    few = best_oracle("ranges", epsilon=1, k=120, users=600)
    assert few != "blocks"
    oracle = parse_oracle(few, 120, Privacy(epsilon=1))
    assert missed(oracle, 600) < 1e-6


def test_tables():
    found = best_oracle("marginals:2", epsilon=1, domain=TABLE)
    known = survey_marginals(parse_workload("marginals:2:2,3,2", 12), Privacy(epsilon=1), 10_000)
    assert found in {one.name for one in recommendable(known)}
    assert best_oracle("marginals:1", epsilon=1, domain=TABLE, columns=["tip", "sex"]) is not None


def test_reports_can_be_made_by_it():
    values = [str(value % 12) for value in range(30)]
    for name in ("ranges", "prefixes", "histogram"):
        oracle = best_oracle(name, epsilon=1, bins="0:12:1")
        assert len(privatize(values, oracle, epsilon=1, bins="0:12:1", seed=1)) == 30
    pairs = [[str(value % 4) for value in range(30)], [str(value % 6) for value in range(30)]]
    for workload in ("grid:4,6", "grid:circular:4,6"):
        grid = best_oracle(workload, epsilon=1, bins=["0:4:1", "0:6:1"])
        table = {"a": pairs[0], "b": pairs[1]}
        assert len(privatize(table, grid, epsilon=1, bins=["0:4:1", "0:6:1"], columns=["a", "b"], seed=1)) == 30


def test_a_workload_says_its_items_itself():
    assert best_oracle(parse_workload("ranges", 16), epsilon=1) == best_oracle("ranges", epsilon=1, k=16)


@pytest.mark.parametrize(
    "asked",
    [
        {"workload": "ranges"},
        {"workload": "ranges", "k": 4, "bins": "0:4:1"},
        {"workload": "rangs", "k": 4},
        {"workload": "grid:3,3", "k": 4},
        {"workload": "marginals:3", "domain": {"a": ["1", "2"]}},
        {"workload": "ranges", "k": 4, "users": 1},
        {"workload": "ranges", "domain": TABLE},
    ],
)
def test_what_is_no_question_is_refused(asked):
    with refused(InputError):
        best_oracle(epsilon=1, **asked)
