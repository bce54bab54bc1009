"""Weights that searches start with: what is reached does not hang on them."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Prefixes
from mechdesign_catalog.decoders.circles.levels import best_weights
from mechdesign_catalog.decoders.lines import weighing
from mechdesign_catalog.decoders.lines.mirrored import halves, is_mirrored, joined
from mechdesign_catalog.systems.levels import starts
from mechdesign_catalog.systems.levels.starts import start_for, table
from mechdesign_catalog.systems.levels.warped_blocks import WarpedBlocks
from mechdesign_catalog.systems.levels.warped_levels import best_chances, levels_of


@pytest.fixture
def searched(monkeypatch):
    """Return what weighs `warped-blocks` anew with a table, and counts what is evaluated."""
    counts = [0]
    search = weighing.best_shares

    def counting(variance, *others):
        def value(shares):
            counts[0] += 1
            return variance(shares)

        return search(value, *others)

    def weigh(found, k, epsilon):
        monkeypatch.setattr(starts, "table", lambda: found)
        best_chances.cache_clear()
        counts[0] = 0
        return WarpedBlocks(k, Privacy(epsilon=epsilon)).average_variance(Prefixes(k), 1000), counts[0]

    monkeypatch.setattr(weighing, "best_shares", counting)
    yield weigh
    best_chances.cache_clear()


def nonsense(seed):
    """Return a table of the same shape with other weights."""
    random = np.random.default_rng(seed)

    def other(part):
        return {key: other(own) for key, own in part.items()} if isinstance(part, dict) else int(random.integers(1000))

    return other(table())


@pytest.mark.parametrize(("k", "epsilon"), [(64, "1"), (90, "2"), (128, "3"), (100, "0.25")])
def test_a_table_changes_how_long_it_takes_and_not_what_is_reached(searched, k, epsilon):
    known, few = searched(table(), k, epsilon)
    without, many = searched({}, k, epsilon)
    assert few < many
    assert known == pytest.approx(without, rel=1.5e-3)  # 1e-3 is the tolerance of the search; weights are rounded
    for seed in range(2):
        found, _ = searched(nonsense(seed), k, epsilon)
        assert found == pytest.approx(without, rel=1.5e-3)


@given(st.integers(4, 1 << 20), st.floats(0.01, 12))
@settings(max_examples=50)
def test_every_number_of_items_and_epsilon_has_a_start(k, epsilon):
    for workload in table():
        found = start_for(workload, k, epsilon, [1, 2, max(2, k // 2), k])
        assert found.min() >= 0
        assert found.max() <= 1


def test_a_start_is_the_tables_at_its_own_numbers():
    of_levels = table()["prefixes"]["1"]["256"]
    found = start_for("prefixes", 256, 1.0, [int(blocks) for blocks in of_levels])
    assert found == pytest.approx(np.array(list(of_levels.values())) / 1000)


@given(st.integers(0, 10_000))
@example(411)
@example(732)
@example(2052)
@settings(max_examples=20)
def test_the_best_weights_promise_no_more_whatever_they_start_with(seed):
    random = np.random.default_rng(seed)
    powers, squares = random.random((60, 9)) ** 4 + 1e-3, random.random(9)
    start = random.random(60) * (random.random(60) > 0.8)
    for begun in (None, start, np.zeros(60)):
        found = best_weights(powers, squares, begun)
        told = found @ powers
        gains = powers @ (squares / told**2)
        assert found.sum() == pytest.approx(1)
        assert found.min() >= 0
        assert gains.max() <= (squares / told).sum() * (1 + 2e-4)


@given(st.integers(2, 9), st.integers(0, 1000))
@settings(max_examples=20)
def test_a_mirrored_matrix_is_two_of_half_its_size(size, seed):
    random = np.random.default_rng(seed).normal(size=(size, size))
    matrix = random @ random.T + np.eye(size)
    matrix += matrix[::-1, ::-1]
    assert is_mirrored(matrix)
    assert not is_mirrored(matrix + np.eye(size, k=1))
    parts = halves(matrix)
    assert joined(*parts) == pytest.approx(matrix)
    assert joined(*map(np.linalg.inv, parts)) == pytest.approx(np.linalg.inv(matrix))
    both = np.concatenate([np.linalg.eigvalsh(part) for part in parts])
    assert np.sort(both) == pytest.approx(np.linalg.eigvalsh(matrix))


@pytest.mark.parametrize("epsilon", ["1", "2", "3"])
def test_levels_of_warped_blocks_are_alike_from_both_ends(epsilon):
    privacy = Privacy(epsilon=epsilon)
    for k in (40, 101):
        assert all(is_mirrored(level.partitions(k).matrix()) for level in levels_of(k, privacy, 3))
