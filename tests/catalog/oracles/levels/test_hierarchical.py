"""Hierarchical histograms: the law of every level, exact variances by enumeration and in simulation, invariances."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign import InputError, NoAnswerError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign.workloads.queries import Intervals, LinearQueries
from mechdesign_catalog.oracles import Reports, State, make_oracle, merged, oracle_of
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.hadamard import Hrr
from mechdesign_catalog.oracles.kinds.local_hashing import Olh
from mechdesign_catalog.oracles.kinds.subset import SubsetSelection
from mechdesign_catalog.oracles.kinds.unary import Oue
from mechdesign_catalog.oracles.levels.hierarchical import HierarchicalHistograms, contrast_variance
from mechdesign_catalog.oracles.ragged import Ragged
from mechdesign_catalog.oracles.registry import parse_oracle

ONE = Privacy(epsilon=1)
CHOICES = ("oue-hrr", "ss-hrr", "hrr", "oue", "olh", "grr", "ss", "auto")
both = pytest.mark.parametrize("estimate", ["ci", "raw"])


def tree(k: int, b: int = 2, privacy: Privacy = ONE, **options: str) -> HierarchicalHistograms:
    oracle = make_oracle("hh", k, privacy, b=b, **options)
    assert isinstance(oracle, HierarchicalHistograms)
    return oracle


def parts_of(k: int) -> Intervals:
    """All ranges but the whole, whose answer is known."""
    ranges = Ranges(k).queries()
    some = ranges.sums < k
    return Intervals(k, ranges.first[some], ranges.last[some])


def report_of(oracle: HierarchicalHistograms, key: tuple[int, ...]) -> Reports:
    """One report from its row in the law."""
    level, *cells = key
    data = np.array(cells, dtype=np.uint8)
    column = np.array([level], dtype=np.uint8)
    return Reports(oracle.parameters, {"level": column, "report": Ragged(np.array([0, len(data)]), data)})


@pytest.mark.parametrize("choice", CHOICES)
def test_every_level_is_unbiased_by_enumeration(choice):
    """The estimate that one report of a level gives, in the mean over the law, is 1 at the own node and 0 elsewhere."""
    oracle = tree(5, in_=choice, levels="1-2-4")
    means = [np.zeros((oracle.k, nodes)) for nodes in oracle.tree.nodes]
    chances = [np.zeros(oracle.k) for _ in means]
    for key, row in oracle.report_law().items():
        level = key[0] - 1
        state = oracle.aggregate(report_of(oracle, key))
        sums = oracle.part_states(state)[level].sums
        inner = oracle.parts[level]
        scores = inner.estimate(State(inner.parameters, 1, sums))
        means[level] += np.outer([float(chance) for chance in row], scores)
        chances[level] += [float(chance) for chance in row]
    for level, (mean, chance) in enumerate(zip(means, chances, strict=True)):
        assert chance == pytest.approx(np.full(oracle.k, (1, 2, 4)[level] / 7), rel=1e-12)
        own = np.arange(oracle.k)[:, None] // oracle.tree.sizes[level] == np.arange(mean.shape[1])
        assert mean / chance[:, None] == pytest.approx(own.astype(float), abs=1e-12)


@both
@pytest.mark.parametrize("choice", ["grr", "hrr", pytest.param("oue", marks=pytest.mark.slow), "ss"])
def test_mean_and_variance_of_answers_by_enumeration(choice, estimate):
    """Three users, two of them on the first level: every choice of these, and every report."""
    oracle = tree(4, in_=choice, levels="3-2", estimate=estimate)
    values, users = [0, 0, 3], np.array([2.0, 1.0])
    truth = np.bincount(values, minlength=4) / 3
    by_level: list[list[tuple[np.ndarray, list[Fraction]]]] = [[], []]
    for key, row in oracle.report_law().items():
        chance = oracle.branch_chances[key[0] - 1]
        sums = oracle.aggregate(report_of(oracle, key)).sums
        by_level[key[0] - 1].append((sums, [cell / chance for cell in row]))
    weights = np.vstack([Ranges(4).queries().weights(), np.random.default_rng(1).normal(size=(3, 4))])
    queries = LinearQueries(weights)
    answers, chances = [], []
    for alone in range(3):
        levels = [by_level[user == alone] for user in range(3)]
        for reports in itertools.product(*levels):
            state = State(oracle.parameters, 3, np.sum([sums for sums, _ in reports], axis=0))
            answers.append(oracle.answers(state, queries))
            chances.append(math.prod(row[value] for (_, row), value in zip(reports, values, strict=True)) / 3)
    assert sum(chances) == 1
    plain = np.array([float(chance) for chance in chances])
    mean = plain @ np.array(answers)
    assert mean == pytest.approx(weights @ truth, abs=1e-12)
    variance = plain @ (np.array(answers) - mean) ** 2
    assert oracle.answer_variance(queries, truth, users) == pytest.approx(variance, abs=1e-12)
    ranges = Ranges(4).queries()
    assert oracle.answer_variance(ranges, truth, users) == pytest.approx(variance[: len(ranges)], abs=1e-12)


@pytest.mark.slow
@both
def test_squared_errors_in_simulation_are_the_variance_at_the_levels_users(estimate):
    """Few users on a ragged tree: with what the server sees of the levels the formula is exact."""
    oracle, repetitions = tree(13, 3, in_="auto", levels="4-3-3", estimate=estimate), 1200
    counts = np.array([30, 0, 0, 12, 8, 1, 0, 20, 0, 0, 5, 4, 10])
    truth, queries = counts / counts.sum(), parts_of(13)[::3]
    generator, ratios = np.random.default_rng(3), []
    for _ in range(repetitions):
        state = oracle.draw_state(counts, generator)
        errors = (oracle.answers(state, queries) - queries.apply(truth)) ** 2
        ratios.append(errors / oracle.answer_variance(queries, truth, oracle.users_of(state)))
    each = np.array(ratios)
    overall = each.mean(axis=1)
    assert abs(overall.mean() - 1) <= 3.3 * overall.std() / math.sqrt(repetitions)
    assert (np.abs(each.mean(axis=0) - 1) <= 4.5 * each.std(axis=0) / math.sqrt(repetitions)).all()


@pytest.mark.slow
@both
def test_estimated_variances_are_right_on_average(estimate):
    oracle, repetitions = tree(16, 4, estimate=estimate), 400
    counts = np.array([500, 100, 0, 0, 900, 0, 0, 300, 0, 0, 100, 0, 0, 0, 50, 50])
    truth, queries = counts / counts.sum(), parts_of(16)[::5]
    generator, ratios = np.random.default_rng(4), []
    for _ in range(repetitions):
        state = oracle.draw_state(counts, generator)
        users = oracle.users_of(state)
        estimated = oracle.estimated_answer_variance(queries, oracle.estimate(state), users)
        ratios.append(estimated / oracle.answer_variance(queries, truth, users))
    assert np.mean(ratios, axis=0) == pytest.approx(np.ones(len(queries)), abs=0.01)


def test_consistent_trees_are_worse_than_raw_ones_for_one_item_at_large_epsilons():
    """All users on one item: by OUE its nodes have the variance V0 + 1 and all others V0, which goes to 0."""
    ranges, point, found = parts_of(16), np.eye(16)[5], []
    for epsilon in ("1", "1.4", "2", "5/2", "3", "5"):
        pair = [tree(16, privacy=Privacy(epsilon=epsilon), estimate=e, in_="oue") for e in ("ci", "raw")]
        ci, raw = (oracle.answer_variance(ranges, point, 10**6) for oracle in pair)
        found.append((ci / raw).max())
    assert found == pytest.approx([0.662, 0.726, 0.894, 1.142, 1.553, 8.256], abs=6e-4)


@pytest.fixture(scope="module")
def collected():
    """A ragged tree with reports of all its levels."""
    oracle = tree(61, 4, in_="oue-hrr")
    return oracle, oracle.privatize(np.arange(900) % 61, seeded_words(7))


def test_answers_of_a_consistent_tree_are_additive(collected):
    oracle, reports = collected
    state = oracle.aggregate(reports)
    items, prefixes = oracle.estimate(state), oracle.answers(state, Prefixes(61).queries())
    assert prefixes[-1] == pytest.approx(1, abs=1e-12)
    assert prefixes == pytest.approx(np.cumsum(items), abs=1e-12)
    ranges = Ranges(61).queries()
    padded = np.append(0.0, prefixes)
    assert oracle.answers(state, ranges) == pytest.approx(padded[ranges.last + 1] - padded[ranges.first], abs=1e-12)
    whole = Intervals(61, np.array([0]), np.array([60]))
    assert oracle.answer_variance(whole, np.full(61, 1 / 61), 900) == pytest.approx([0], abs=1e-15)
    assert oracle.estimated_answer_variance(whole, items, oracle.users_of(state)) == pytest.approx([0], abs=1e-15)


@both
def test_written_queries_are_answered_as_ranges(collected, estimate):
    _, reports = collected
    oracle = tree(61, 4, in_="oue-hrr", estimate=estimate)
    state = oracle.aggregate(Reports(oracle.parameters, reports.columns))
    ranges = Ranges(61).queries()[::7]
    written, shares = LinearQueries(ranges.weights()), np.random.default_rng(5).dirichlet(np.ones(61))
    assert oracle.answers(state, written) == pytest.approx(oracle.answers(state, ranges), abs=1e-12)
    users = oracle.users_of(state)
    for method in (oracle.answer_variance, oracle.estimated_answer_variance):
        assert method(written, shares, users) == pytest.approx(method(ranges, shares, users), rel=1e-9, abs=1e-15)


@given(cuts=st.lists(st.integers(0, 900), max_size=6), order=st.randoms(use_true_random=False))
def test_states_merge_to_the_same_bits_in_any_order(collected, cuts, order):
    oracle, reports = collected
    edges = [0, *sorted(cuts), 900]
    parts = [oracle.aggregate(reports[start:end]) for start, end in itertools.pairwise(edges)]
    order.shuffle(parts)
    whole, found = oracle.aggregate(reports), merged(parts)
    assert (found.users, found.sums.tobytes()) == (whole.users, whole.sums.tobytes())
    assert oracle.estimate(found).tobytes() == oracle.estimate(whole).tobytes()


def test_variances_of_contrasts():
    """A node's variance less the covariance of two: V0 for OUE, V0 + 1 for HRR, q / (p - q)^2 for GRR."""
    x = math.e
    rare = 4 * x / (x - 1) ** 2
    assert float(contrast_variance(Oue(9, ONE))) == pytest.approx(rare, rel=1e-6)
    assert float(contrast_variance(Hrr(9, ONE))) == pytest.approx(rare + 1, rel=1e-6)
    assert float(contrast_variance(Grr(9, ONE))) == pytest.approx((x + 8) / (x - 1) ** 2, rel=1e-6)
    grr = Grr(9, ONE).support
    assert contrast_variance(Grr(9, ONE)) == grr.q / (grr.p - grr.q) ** 2


@pytest.mark.parametrize("epsilon", ["1/10", "1", "3"])
def test_subset_selection_has_the_least_noise_where_nodes_are_equally_frequent(epsilon):
    """The noise of a contrast for one user, the mean over the nodes: `b` of `a q1^2 + b q2` with q1 = 0."""
    for nodes in (2, 3, 5, 8, 13, 40, 200):
        kinds = [kind(nodes, Privacy(epsilon=epsilon)) for kind in (SubsetSelection, Grr, Oue, Hrr, Olh)]
        noises = [kind.moments.at_uniform_shares(nodes)[1] for kind in kinds]
        assert noises[0] == min(noises)


def test_levels_are_drawn_by_their_weights():
    """By the client and in the state that is drawn at once: a multinomial of the chances 4/9, 3/9, 2/9."""
    oracle, n = tree(8, levels="4-3-2"), 90_000
    values = np.arange(n) % 8
    states = oracle.aggregate(oracle.privatize(values, seeded_words(8)))
    drawn = oracle.draw_state(np.bincount(values), np.random.default_rng(9))
    for state in (states, drawn):
        users, expected = oracle.users_of(state), n * np.array([4, 3, 2]) / 9
        assert users.sum() == n
        assert np.sum((users - expected) ** 2 / expected) <= 13.8  # 0.1 % of chi-square with 2 degrees of freedom


def test_levels_take_the_oracles_that_were_asked_for():
    assert [type(o) for o in tree(8192, 2).parts[-2:]] == [Oue, Hrr]
    assert {type(o) for o in tree(64, in_="grr").parts} == {Grr}
    subsets = tree(8192, 2, in_="ss-hrr").parts
    assert [type(o) for o in subsets] == [*[SubsetSelection] * 12, Hrr]
    assert [o.selected for o in subsets[:6]] == [1, 1, 2, 4, 9, 17]  # nearest to nodes / (1 + e)
    assert {type(o) for o in tree(8192, 2, in_="ss").parts} == {SubsetSelection}
    assert (tree(64, in_="ss").time_class, tree(1 << 13, in_="ss-hrr").time_class) == ("N 64 + k", "N 4096 + k log k")
    auto = tree(1 << 14, 4, Privacy(epsilon="1.1"), in_="auto")
    assert [type(o) for o in auto.parts] == [Grr, Oue, Oue, Oue, Oue, Oue, Hrr]
    assert oracle_of(auto.parameters) == auto
    assert (auto.bits, auto.row_bytes > 4096 / 8 / 7) == (3 + 4096, True)
    assert auto.mean_bits == pytest.approx(3 + (2 + 16 + 64 + 256 + 1024 + 4096 + 15) / 7)


def test_a_report_is_as_long_as_its_level_needs(collected):
    oracle, reports = collected
    widths = {1: 1, 2: 2, 3: 8}
    assert [wire.width for wire in oracle.wire.columns[1].wires] == list(widths.values())
    levels = reports.columns["level"].tolist()
    assert reports.columns["report"].widths.tolist() == [widths[level] for level in levels]


def changed(reports: Reports, **columns: object) -> Reports:
    return Reports(reports.parameters, {**reports.columns, **columns})


def test_reports_that_no_client_makes_are_refused(collected):
    oracle, reports = collected
    levels, data = reports.columns["level"], reports.columns["report"]
    for wrong, message in ((0, r"level in 1\.\.3, got 0 in row 1"), (4, r"level in 1\.\.3, got 4 in row 1")):
        with pytest.raises(InputError, match=message):
            oracle.aggregate(changed(reports, level=np.where(np.arange(900) == 0, wrong, levels)))
    with pytest.raises(InputError, match=r"reports must have .* bytes, got .* among those of level"):
        oracle.aggregate(changed(reports, level=np.roll(levels, 1)))
    with pytest.raises(InputError, match=r"must have (a column level of whole numbers|byte strings as report), got"):
        oracle.aggregate(changed(reports, report=levels))
    with pytest.raises(InputError, match=r"must have (a column level of whole numbers|byte strings as report), got"):
        oracle.aggregate(changed(reports, level=data))
    full = Ragged(data.offsets, np.full_like(data.data, 255))
    with pytest.raises(InputError, match=r"no bit beyond bit .* among those of level"):
        oracle.aggregate(changed(reports, report=full))
    for other in (tree(61, 2), tree(61, 4, levels="2-1-1"), tree(61, 4, estimate="raw"), tree(62, 4)):
        with pytest.raises(InputError, match="must be made with the same parameters"):
            other.aggregate(reports)
        with pytest.raises(InputError, match="must be made with the same parameters"):
            other.estimate(oracle.aggregate(reports))


def test_users_of_levels_must_be_the_users(collected):
    oracle, reports = collected
    state = oracle.aggregate(reports)
    sums = state.sums.copy()
    sums[0] -= 1
    with pytest.raises(InputError, match="a state must have 900 users over all levels, got 899"):
        oracle.estimate(State(state.parameters, 900, sums))


def test_an_empty_level_is_said(collected):
    oracle, reports = collected
    rows = np.flatnonzero(reports.columns["level"] != 2)
    first = rows[0]
    state = oracle.aggregate(reports[first : first + 1])
    with pytest.raises(NoAnswerError, match=r"each level must have a report, got none of level . of 3 from 1 user;"):
        oracle.answers(state, Ranges(61).queries())


@pytest.mark.parametrize("users", [0, 1, np.array([3.0, 1.0]), np.array([1.0, 0.0, 2.0])])
def test_numbers_of_users_that_no_levels_have_are_refused(users):
    oracle = tree(61, 4)
    with pytest.raises(InputError, match="users must be"):
        oracle.variance(np.full(61, 1 / 61), users)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"b": 1}, "b must be a whole number from 2 to 2"),
        ({"in_": "sue"}, "in must be oue-hrr, ss-hrr, hrr, oue, olh, grr, ss or auto, got sue"),
        ({"estimate": "mean"}, "estimate must be ci or raw, got mean"),
        ({"levels": "1-1"}, r"levels must be .* 4 whole numbers above 0, .*, got levels=1-1"),
        ({"levels": "1-1-0-1"}, "levels must be"),
        ({"levels": "heavy"}, "levels must be .*, got levels=heavy"),
        ({"levels": Ranges(9)}, "levels must be for a workload on 16 items, got ranges on 9"),
    ],
)
def test_other_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        make_oracle("hh", 16, ONE, **{"b": 2, **options})


def test_one_level_of_two_items():
    oracle = tree(2, 2)
    assert (oracle.height, oracle.bits) == (1, 2)
    state = oracle.aggregate(oracle.privatize(np.array([0, 0, 1]), seeded_words(1)))
    assert oracle.estimate(state).sum() == pytest.approx(1)
    assert (oracle.variance(np.array([0.5, 0.5]), 1) > 0).all()


def test_titles_tell_trees_apart():
    assert tree(9, 3).title == "hh:b=3"
    assert make_oracle("hh2", 9, ONE, b=3, sides="3x3").title == "hh2:b=3"
    assert make_oracle("olh", 9, ONE).title == "olh"


@pytest.mark.parametrize("name", ["hh:b=2:in=ss-hrr:levels=ranges", "hh:b=2:estimate=raw", "haar:levels=3-2-1-1"])
def test_a_title_makes_the_same_oracle_again(name):
    oracle = parse_oracle(name, 16, ONE)
    assert parse_oracle(oracle.title, 16, ONE) == oracle
    assert len({parse_oracle(text, 16, ONE).title for text in (name, "hh:b=2", "haar")}) == 3


def test_a_title_with_very_many_weights_is_short():
    title = make_oracle("hh2", 4096, ONE, b=2, sides="64x64", levels="grid:64,64").title
    assert title.startswith("hh2:b=2:levels=")
    assert "..." in title
