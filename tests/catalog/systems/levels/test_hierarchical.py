"""Hierarchical histograms: variances by enumeration and in simulation, invariances, published settings."""

import math

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.documents.workloads import parse_workload
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign.workloads.queries import Intervals, LinearQueries
from mechdesign_catalog.systems import Reports, make_oracle, oracle_of
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.hadamard import Hrr
from mechdesign_catalog.systems.flat.local_hashing import Olh
from mechdesign_catalog.systems.flat.subset import SubsetSelection
from mechdesign_catalog.systems.flat.unary import Oue
from mechdesign_catalog.systems.levels.hierarchical import HierarchicalHistograms, contrast_variance
from mechdesign_catalog.systems.registry import parse_oracle

ONE = Privacy(epsilon=1)
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


@pytest.mark.slow
@both
def test_estimated_variances_are_right_on_average(estimate):
    oracle, repetitions = tree(16, 4, estimate=estimate), 400
    counts = np.array([500, 100, 0, 0, 900, 0, 0, 300, 0, 0, 100, 0, 0, 0, 50, 50])
    truth, queries = counts / counts.sum(), parts_of(16)[::5]
    generator, ratios = np.random.default_rng(4), []
    for _ in range(repetitions):
        state = oracle.simulate_sums(counts, generator)
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


def test_reports_and_states_of_other_trees_are_refused(collected):
    oracle, reports = collected
    for other in (tree(61, 2), tree(61, 4, levels="2-1-1"), tree(61, 4, estimate="raw"), tree(62, 4)):
        with refused(InputError):
            other.aggregate(reports)
        with refused(InputError):
            other.estimate(oracle.aggregate(reports))


@pytest.mark.parametrize("users", [0, 1, np.array([3.0, 1.0]), np.array([1.0, 0.0, 2.0])])
def test_numbers_of_users_that_no_levels_have_are_refused(users):
    oracle = tree(61, 4)
    with refused(InputError, about="users"):
        oracle.variance(np.full(61, 1 / 61), users)


@pytest.mark.parametrize(
    "options",
    [
        {"b": 1},
        {"in_": "sue"},
        {"estimate": "mean"},
        {"levels": "1-1"},
        {"levels": "1-1-0-1"},
        {"levels": "heavy"},
        {"levels": Ranges(9)},
    ],
)
def test_other_options_are_refused(options):
    with refused(InputError):
        make_oracle("hh", 16, ONE, **{"b": 2, **options})


def test_one_level_of_two_items():
    oracle = tree(2, 2)
    assert (oracle.height, oracle.bits) == (1, 2)
    state = oracle.aggregate(oracle.privatize(np.array([0, 0, 1]), seeded_words(1)))
    assert oracle.estimate(state).sum() == pytest.approx(1)
    assert (oracle.variance(np.array([0.5, 0.5]), 1) > 0).all()


@pytest.mark.parametrize("name", ["hh:b=2:in=ss-hrr:levels=ranges", "hh:b=2:estimate=raw", "haar:levels=3-2-1-1"])
def test_a_title_makes_the_same_oracle_again(name):
    oracle = parse_oracle(name, 16, ONE)
    assert parse_oracle(oracle.title, 16, ONE) == oracle
    assert len({parse_oracle(text, 16, ONE).title for text in (name, "hh:b=2", "haar")}) == 3


def test_a_title_with_very_many_weights_is_short():
    title = make_oracle("hh2", 4096, ONE, b=2, sides="64x64", levels="grid:64,64").title
    assert title.startswith("hh2:b=2:levels=")
    assert "..." in title


AVERAGES = {
    ("ranges", 1 << 8, "hh:b=2"): 5.6454256129e-07,
    ("ranges", 1 << 8, "hh:b=2:estimate=raw"): 2.2252786650e-06,
    ("ranges", 1 << 8, "hh:b=4"): 5.3605231273e-07,
    ("ranges", 1 << 8, "hh:b=4:estimate=raw"): 1.5907191111e-06,
    ("ranges", 1 << 8, "hh:b=16"): 6.6306711138e-07,
    ("ranges", 1 << 8, "hh:b=16:estimate=raw"): 1.6960461444e-06,
    ("ranges", 1 << 16, "hh:b=2"): 2.3831023466e-06,
    ("ranges", 1 << 16, "hh:b=2:estimate=raw"): 1.1078964566e-05,
    ("ranges", 1 << 16, "hh:b=4"): 2.4131847945e-06,
    ("ranges", 1 << 16, "hh:b=4:estimate=raw"): 8.1527514260e-06,
    ("ranges", 1 << 16, "hh:b=16"): 3.3299054966e-06,
    ("ranges", 1 << 16, "hh:b=16:estimate=raw"): 9.6016804299e-06,
    ("ranges", 1 << 22, "hh:b=2"): 4.5908847437e-06,
    ("ranges", 1 << 22, "hh:b=2:estimate=raw"): 2.3085638805e-05,
    ("ranges", 1 << 22, "hh:b=4"): 4.7951811068e-06,
    ("ranges", 1 << 22, "hh:b=4:estimate=raw"): 1.7099311213e-05,
    ("ranges", 1 << 22, "hh:b=16"): 7.7175828540e-06,
    ("ranges", 1 << 22, "hh:b=16:estimate=raw"): 2.3507232985e-05,
    ("prefixes", 1 << 8, "hh:b=2"): 3.3277527529e-07,
    ("prefixes", 1 << 8, "hh:b=2:estimate=raw"): 1.5229409917e-06,
    ("prefixes", 1 << 8, "hh:b=4"): 3.2879458576e-07,
    ("prefixes", 1 << 8, "hh:b=4:estimate=raw"): 1.1128923598e-06,
    ("prefixes", 1 << 8, "hh:b=16"): 4.5308617784e-07,
    ("prefixes", 1 << 8, "hh:b=16:estimate=raw"): 1.3555344537e-06,
    ("prefixes", 1 << 16, "hh:b=2"): 1.2927659177e-06,
    ("prefixes", 1 << 16, "hh:b=2:estimate=raw"): 6.3791726285e-06,
    ("prefixes", 1 << 16, "hh:b=4"): 1.3287689397e-06,
    ("prefixes", 1 << 16, "hh:b=4:estimate=raw"): 4.7261553179e-06,
    ("prefixes", 1 << 16, "hh:b=16"): 1.9093713876e-06,
    ("prefixes", 1 << 16, "hh:b=16:estimate=raw"): 5.8355841284e-06,
    ("prefixes", 1 << 22, "hh:b=2"): 2.4350668264e-06,
    ("prefixes", 1 << 22, "hh:b=2:estimate=raw"): 1.2698027151e-05,
    ("prefixes", 1 << 22, "hh:b=4"): 2.5660406547e-06,
    ("prefixes", 1 << 22, "hh:b=4:estimate=raw"): 9.4436949825e-06,
    ("prefixes", 1 << 22, "hh:b=16"): 4.0381599889e-06,
    ("prefixes", 1 << 22, "hh:b=16:estimate=raw"): 1.2508874656e-05,
    ("ranges", 1 << 8, "haar"): 5.6680399750e-07,
    ("ranges", 1 << 16, "haar"): 2.4031920143e-06,
    ("ranges", 1 << 22, "haar"): 4.6138883876e-06,
    ("prefixes", 1 << 8, "haar"): 3.4118301046e-07,
    ("prefixes", 1 << 16, "haar"): 1.3193122527e-06,
    ("prefixes", 1 << 22, "haar"): 2.4692745807e-06,
}


def test_average_variances_are_those_of_another_program():
    for workload, k, system in AVERAGES:
        oracle = parse_oracle(system, k, Privacy(epsilon="1.1"))
        found = oracle.average_variance(parse_workload(workload, k), 1 << 26)
        assert found == pytest.approx(AVERAGES[workload, k, system], rel=1e-9)
