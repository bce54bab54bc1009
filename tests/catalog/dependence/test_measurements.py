"""Measurements with independent noise, and their hand-over to mbi."""

import itertools
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from joint_tables import JointTables, product_of, randomized_response

from mechdesign.errors import InputError
from mechdesign_catalog.dependence.measurements import component_measurements, mbi_measurements

LAW = product_of([0.2, 0.3, 0.5], [0.4, 0.1, 0.1, 0.4])
DOMAINS = (3, 2, 2)


@pytest.fixture
def source():
    return JointTables(DOMAINS, *randomized_response(LAW, 3000, 1.5, np.random.default_rng(0)), 3000)


def marginal_matrix(subset):
    """Which tuples are in which cell of a table."""
    tuples = list(itertools.product(*map(range, DOMAINS)))
    cells = list(itertools.product(*(range(DOMAINS[i]) for i in subset)))
    return np.array([[tuple(x[i] for i in subset) == cell for x in tuples] for cell in cells], dtype=float)


def test_noise_of_each_measurement_is_white(source):
    found = component_measurements(source)
    assert [one.subset for one in found] == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    assert [len(one.values) for one in found] == [2, 1, 1, 2, 2, 1]
    for one in found:
        told = one.weights @ marginal_matrix(one.subset)
        np.testing.assert_allclose(told @ source.noise @ told.T, np.eye(len(told)), atol=1e-9)
        np.testing.assert_allclose(one.values, told @ source.joint, atol=1e-9)


def test_nothing_is_measured_twice(source):
    """What a pair's measurement tells does not change with the tables of its attributes: their cells add nothing."""
    for one in component_measurements(source):
        for i in one.subset:
            others = tuple(j for j in one.subset if j != i)
            flat = marginal_matrix(others).T if others else np.ones((12, 1))
            np.testing.assert_allclose(one.weights @ marginal_matrix(one.subset) @ flat, 0, atol=1e-9)


def test_measurements_of_counts_go_to_mbi(source, monkeypatch):
    """With a stand-in for mbi, which takes what the real classes take."""
    stand_in = SimpleNamespace(
        LinearMeasurement=lambda **given: SimpleNamespace(**given),
        Domain=lambda attributes, shape: dict(zip(attributes, shape, strict=True)),
    )
    monkeypatch.setitem(sys.modules, "mbi", stand_in)
    domain, measured, users = mbi_measurements(source, ["size", "toll", "far"])
    assert domain == {"size": 3, "toll": 2, "far": 2}
    assert users == 3000
    counts = 3000 * source.joint
    for one in measured:
        subset = tuple(["size", "toll", "far"].index(name) for name in one.clique)
        factor = SimpleNamespace(datavector=lambda subset=subset: marginal_matrix(subset) @ counts)
        np.testing.assert_allclose(one.query(factor), one.noisy_measurement, atol=1e-9)
        assert one.stddev == 1.0
        top = np.linalg.eigvalsh(one.query.weights @ one.query.weights.T).max()
        assert one.query.op_norm_sq() == pytest.approx(top)


def test_hand_over_says_what_it_needs(source, monkeypatch):
    monkeypatch.setitem(sys.modules, "mbi", None)
    with pytest.raises(InputError, match=r"must have mbi, got none; pip install mechdesign\[mbi\]"):
        mbi_measurements(source, ["a", "b", "c"])
    with pytest.raises(InputError, match="names must be 3, one for each attribute, got 2"):
        mbi_measurements(source, ["a", "b"])


def test_biased_tables_are_refused():
    source = JointTables(DOMAINS, LAW, np.zeros((12, 12)), 10, post="em", unbiased=False)
    with pytest.raises(InputError, match="post must be least-squares or raw for measurements"):
        component_measurements(source)
