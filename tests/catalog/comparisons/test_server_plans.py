"""A plan on paper grows as the work does, and has what is sent exactly."""

import numpy as np
import pytest
from system_oracles import ATTRIBUTES, LEVELS, oracle_of

from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.server_plans import server_plan
from mechdesign_catalog.comparisons.survey import survey_oracles
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.registry import FLAT_ORACLES

ONE = Privacy(epsilon=1)


@pytest.mark.parametrize("name", FLAT_ORACLES)
def test_bytes_are_those_of_the_messages(name):
    oracle = make_oracle(name, 100, ONE)
    message = oracle.wire.messages(oracle.privatize([3]))[0]
    assert server_plan(oracle, 10**6).sent_bytes == 10**6 * len(message)


@pytest.mark.parametrize("name", FLAT_ORACLES)
def test_ten_times_the_users_take_ten_times_as_long(name):
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


@pytest.mark.parametrize("text", ATTRIBUTES)
def test_bytes_of_several_attributes_are_those_of_the_messages_on_average(text):
    oracle = oracle_of(text)
    values = np.random.default_rng(5).integers(0, oracle.domains, (4000, len(oracle.domains)))
    lengths = [len(message) for message in oracle.wire.messages(oracle.privatize(values, seeded_words(5)))]
    deviation = np.std(lengths) / np.sqrt(len(lengths))
    assert np.mean(lengths) == pytest.approx(oracle.message_bytes, abs=5 * deviation + 1e-9)
    assert server_plan(oracle, 10**7).seconds > 1e-3


@pytest.mark.parametrize("label", LEVELS)
def test_bytes_of_levels_are_those_of_the_messages_on_average(label):
    oracle = LEVELS[label]
    values = np.arange(4000) % oracle.k
    lengths = [len(message) for message in oracle.wire.messages(oracle.privatize(values, seeded_words(5)))]
    deviation = np.std(lengths) / np.sqrt(len(lengths))
    assert np.mean(lengths) == pytest.approx(oracle.message_bytes, abs=5 * deviation + 1e-9)
    assert server_plan(oracle, 10**7).sent_bytes == pytest.approx(10**7 * oracle.message_bytes, abs=1)
