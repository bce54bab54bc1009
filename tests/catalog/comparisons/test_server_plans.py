"""A plan on paper grows as the work does, and has what is sent exactly."""

import pytest

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.server_plans import ADDING, server_plan
from mechdesign_catalog.comparisons.survey import survey_oracles
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.registry import FLAT_ORACLES

ONE = Privacy(epsilon=1)


def test_every_oracle_on_all_items_has_a_plan():
    assert set(FLAT_ORACLES.values()) == set(ADDING)


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
