"""Oracles rated for marginal tables, against every table by itself, and what a server's plan has."""

import itertools
from math import comb, exp, prod

import numpy as np
import pytest
from system_oracles import ATTRIBUTES, LEVELS, oracle_of
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.marginals import Marginals
from mechdesign_catalog.comparisons.marginals_survey import (
    answer_chance,
    recommendable,
    survey_marginals,
)
from mechdesign_catalog.comparisons.server_plans import server_plan
from mechdesign_catalog.comparisons.survey import best, survey_oracles
from mechdesign_catalog.decoders.decoder import Decoder
from mechdesign_catalog.decoders.tables.subsets import UniformShares, subsets_of
from mechdesign_catalog.systems import make_oracle
from mechdesign_catalog.systems.attributes.marginal_oracle import representative_tables
from mechdesign_catalog.systems.registry import FLAT_ORACLES
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle

PRIVACY, USERS = Privacy(epsilon="1.1"), 10**6


@pytest.mark.parametrize(
    ("domains", "way"),
    [((2,) * 5, 1), ((2,) * 5, 3), ((3, 2, 4, 3), 2), ((3, 2, 4), 1), ((2, 6, 2, 6), 3), ((5, 2), 2)],
    ids=str,
)
def test_every_row_is_the_mean_and_the_largest_over_all_cells(domains, way):
    found = survey_marginals(Marginals(domains, way), PRIVACY, 5000)
    shares = UniformShares(domains)
    systems = [standing for standing in found if standing.post not in (None, "norm")]
    assert len({(standing.name, standing.post) for standing in found}) == len(found)
    for standing in systems:
        oracle = standing.oracle
        estimator = oracle.raw if standing.post == "raw" else oracle.least_squares
        users = oracle.planned_users(5000)
        every = np.concatenate([estimator.variances(table, shares, users) for table in subsets_of(len(domains), way)])
        assert len(every) == Marginals(domains, way).count
        assert standing.rating.average == pytest.approx(every.mean(), rel=1e-9), standing.name
        assert standing.rating.largest == pytest.approx(every.max(), rel=1e-9), standing.name
        assert standing.rating.is_exact
        assert parse_marginal_oracle(standing.name, domains, PRIVACY).parameters == oracle.parameters
    averages = [standing.variance for standing in found]
    assert averages == pytest.approx(sorted(averages), rel=1e-9)


def test_tables_of_calm_are_alike_only_where_their_sets_are():
    """Ten attributes of two kinds, in a design that covers pairs unevenly."""
    domains = (2,) * 6 + (3,) * 3
    workload = Marginals(domains, 2)
    oracle = parse_marginal_oracle("calm:k=2:size=3", domains, PRIVACY)
    kinds = representative_tables(oracle, workload.way)
    assert sum(number for _, number in kinds) == comb(9, 2)
    assert len(kinds) > 3
    users, shares = oracle.planned_users(5000), UniformShares(domains)
    for estimator in (oracle.raw, oracle.least_squares):
        every = np.concatenate([estimator.variances(table, shares, users) for table in subsets_of(9, 2)])
        grouped = sum(number * estimator.variances(table, shares, users).sum() for table, number in kinds)
        assert grouped == pytest.approx(every.sum(), rel=1e-9)


@pytest.mark.parametrize(("d", "k"), [(4, 1), (4, 2), (8, 2), (6, 3)])
def test_averages_are_the_published_systems_closed_forms(d, k):
    """The sum of a table's variances at equal shares, S2 = 1/K of squared shares; divided by n and K."""
    x, cells, tables = exp(1.1), 2**k, comb(d, k)
    v0, sue = 4 * x / (x - 1) ** 2, exp(0.55) / (exp(0.55) - 1) ** 2
    needed, spread = sum(comb(d, size) for size in range(1, k + 1)), 1 - 1 / cells
    p, q = x / (x + 2**d - 1), 1 / (x + 2**d - 1)
    kept, other = p + (2 ** (d - k) - 1) * q, 2 ** (d - k) * q
    sums = {
        "inprr:sue": 2**d * sue,
        "inprr:oue": 2**d * v0 + 1,
        "inpps": (kept * (1 - kept) + (cells - 1) * other * (1 - other)) / (p - q) ** 2,
        "inpht:draw=uniform": needed / cells * ((cells - 1) * v0 + cells * spread) - spread,
        "marght": tables * (cells - 1) / cells * ((cells - 1) * v0 + cells * spread) - spread,
        "margps": tables * (cells - 1) * (2 * x + cells - 2) / (x - 1) ** 2 + (tables - 1) * spread,
        "margrr:sue": tables * cells * sue + (tables - 1) * spread,
        "margrr": tables * (cells * v0 + 1) + (tables - 1) * spread,
    }
    rows = {}
    for standing in survey_marginals(Marginals((2,) * d, k), PRIVACY, USERS):  # raw rows come after the others
        rows[standing.name.replace(f":k={k}", "")] = standing.variance
    for name, total in sums.items():
        assert rows[name] == pytest.approx(total / cells / USERS, rel=1e-4), name


def test_further_oracles_on_items_take_all_tuples_as_items():
    found = {s.name: s for s in survey_marginals(Marginals((2, 3), 1), PRIVACY, USERS)}
    names = {name for name in found if name.startswith("flat:")}
    assert {"flat:ss:size=2", "flat:hrr", "flat:blh"} <= names
    assert not names & {"flat:oue", "flat:sue", "flat:grr", "flat:olh", "flat:hcms"}  # rows of their own
    oracle, queries = found["flat:hrr"].oracle, Marginals((2, 3), 1).queries()
    variances = Decoder(oracle).variance(queries, np.full(6, 1 / 6), USERS)
    assert found["flat:hrr"].rating.average == pytest.approx(variances.mean())
    assert found["flat:hrr"].rating.largest == pytest.approx(variances.max())
    assert (found["flat:hrr"].post, found["flat:ss:size=2"].post) == ("norm", None)


def test_which_oracles_are_listed():
    one = {s.name.partition(":")[0] for s in survey_marginals(Marginals((3, 3, 4), 1), PRIVACY, USERS)}
    two = {s.name.partition(":")[0] for s in survey_marginals(Marginals((3, 3, 4), 2), PRIVACY, USERS)}
    binary = {s.name.partition(":")[0] for s in survey_marginals(Marginals((2, 2, 2), 2), PRIVACY, USERS)}
    assert one - two == {"spl", "smp", "rs+fd"}
    assert binary - two == {"marght", "inpem"}
    assert two - binary == {"inpes"}
    many = {s.name.partition(":")[0] for s in survey_marginals(Marginals((2,) * 45, 1), PRIVACY, USERS)}
    assert "inprr" not in many
    assert "flat" not in many
    assert {"inpht", "margps", "calm", "smp"} <= many


def test_a_row_that_loses_more_than_is_claimed_is_never_best():
    found = survey_marginals(Marginals((3, 4, 2), 1), Privacy(epsilon=1), 10_000)
    assert found[0].name.startswith("rs+fd")  # would have the smallest variance
    assert {s.name.partition(":")[0] for s in found if s.loses_more} == {"rs+fd"}
    assert best(recommendable(found)).name == "smp"
    assert all(standing.post != "raw" for standing in recommendable(found))


def test_too_few_users_for_an_answer():
    """The chance that n users leave no branch empty, for equal chances: by inclusion and exclusion."""
    branches, users = 6, 25
    exact = sum((-1) ** j * comb(branches, j) * (1 - j / branches) ** users for j in range(branches + 1))
    assert answer_chance(np.full(branches, users / branches)) == pytest.approx(exact, abs=0.03)
    assert answer_chance(100) == answer_chance(np.array([3.0])) == 1
    found = survey_marginals(Marginals((2,) * 8, 2), PRIVACY, 60)
    sure = {s.name.partition(":")[0] for s in recommendable(found)}
    assert "inprr" in sure
    assert not sure & {"margps", "inpht", "calm"}


def test_few_kinds_stand_for_many_tables():
    workload = Marginals((2,) * 20 + (5,) * 12, 3)
    kinds = representative_tables(parse_marginal_oracle("margps:k=3", workload.domains, PRIVACY), workload.way)
    expected = {
        tuple(sorted(sizes)): comb(20, sizes.count(2)) * comb(12, sizes.count(5))
        for sizes in itertools.product((2, 5), repeat=3)
    }
    assert {tuple(workload.domains[i] for i in table): number for table, number in kinds} == expected
    assert sum(number * prod(workload.domains[i] for i in table) for table, number in kinds) == workload.count


def test_what_is_not_rated():
    for workload, users in [
        (Marginals((2, 2), 1), 1),
        (Marginals((3, 1024, 1024), 2), 100),
        (Marginals((2,) * 60, 4), 100),
    ]:
        with refused(InputError):
            survey_marginals(workload, PRIVACY, users)


ONE = Privacy(epsilon=1)


def test_bytes_are_those_of_the_messages():
    for name in FLAT_ORACLES:
        oracle = make_oracle(name, 100, ONE)
        message = oracle.report_schema.messages(oracle.privatize([3]))[0]
        assert server_plan(oracle, 10**6).sent_bytes == 10**6 * len(message)


def test_ten_times_the_users_take_ten_times_as_long():
    for name in FLAT_ORACLES:
        oracle = make_oracle(name, 1000, ONE)
        few, many = server_plan(oracle, 10**8).seconds, server_plan(oracle, 10**9).seconds
        assert many == pytest.approx(10 * few, rel=0.01)


def test_rows_of_bits_grow_with_the_items_and_items_do_not():
    grown = {
        name: server_plan(make_oracle(name, 10**6, ONE), 10**9).seconds
        / server_plan(make_oracle(name, 10**4, ONE), 10**9).seconds
        for name in ("oue", "grr", "hrr")
    }
    assert 95 < grown["oue"] < 105
    assert grown["grr"] < 3
    assert grown["hrr"] < 3


def test_machines_are_done_within_an_hour():
    plan = server_plan(make_oracle("oue", 10**6, ONE), 10**9)
    assert plan.machines * 7200 >= plan.seconds > (plan.machines - 1) * 7200
    assert server_plan(make_oracle("grr", 4, ONE), 1).machines == 1


def test_rows_say_that_it_is_a_plan():
    entry = survey_oracles(8, ONE, 10**6)[0].entry()
    assert entry["planned_by"].startswith("on paper, by constants of ")
    assert entry["planned_bytes"] == 10**6
    assert entry["planned_machines"] == 1


def test_bytes_of_several_attributes_are_those_of_the_messages_on_average():
    for text in ATTRIBUTES:
        oracle = oracle_of(text)
        values = np.random.default_rng(5).integers(0, oracle.domains, (4000, len(oracle.domains)))
        lengths = [len(message) for message in oracle.report_schema.messages(oracle.privatize(values, seeded_words(5)))]
        deviation = np.std(lengths) / np.sqrt(len(lengths))
        assert np.mean(lengths) == pytest.approx(oracle.message_bytes, abs=5 * deviation + 1e-9)
        assert server_plan(oracle, 10**7).seconds > 1e-3


def test_bytes_of_levels_are_those_of_the_messages_on_average():
    for label in LEVELS:
        oracle = LEVELS[label]
        values = np.arange(4000) % oracle.k
        lengths = [len(message) for message in oracle.report_schema.messages(oracle.privatize(values, seeded_words(5)))]
        deviation = np.std(lengths) / np.sqrt(len(lengths))
        assert np.mean(lengths) == pytest.approx(oracle.message_bytes, abs=5 * deviation + 1e-9)
        assert server_plan(oracle, 10**7).sent_bytes == pytest.approx(10**7 * oracle.message_bytes, abs=1)
