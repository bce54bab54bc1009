"""Privacy as rows `x[upper] >= ratio x[lower]`, as few as the graph allows.

Plain pairs take two rows for each edge and output: `k (k-1)` an output for the complete graph. Two forms say the same
with extra variables that cost nothing:

- *row minimum* (complete graph): `P[i,j] >= m_i` and `m_i >= alpha P[i,l]`, 2k rows an output;
- *windows* (band of radius R): inputs are cut into blocks of R+1; running minima and maxima of each block from its
  start and from its end are extra variables, and any window of R+1 inputs is an end of one block and a start of the
  next: `min(one) >= alpha max(other)` both ways, about 10k rows an output instead of 2Rk. One minimum for the whole
  row would impose full local privacy.

The two sides of a row are nodes, numbered: the entry (i, j) is node `i * size + j`, extra variables come after them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.problem.neighbours import NeighbourGraph

Indices = NDArray[np.int64]

PAIRS, ROW_MINIMUM, WINDOWS = "pairs", "row minimum", "windows"
"""The forms of privacy rows."""

SMALLEST_WINDOW_RADIUS = 7
SMALLEST_ROW_MINIMUM = 4
"""Below this radius, or this many inputs, plain pairs are as short."""


@dataclass(frozen=True)
class PairRows:
    """Rows `x[upper] >= ratio x[lower]` of one kind, between nodes."""

    kind: str
    ratio: Fraction
    upper: Indices
    lower: Indices


@dataclass(frozen=True)
class PrivacyRows:
    """Blocks of rows, and for each extra variable its usual size as a power of the step's alpha."""

    blocks: tuple[PairRows, ...]
    extra_exponents: Indices


def form_of(graph: NeighbourGraph) -> str:
    """Choose the form of the rows for a graph: `pairs`, `row minimum` or `windows`."""
    if graph.is_complete:
        return ROW_MINIMUM if graph.size >= SMALLEST_ROW_MINIMUM else PAIRS
    return WINDOWS if graph.radius >= SMALLEST_WINDOW_RADIUS else PAIRS


def n_privacy_rows(graph: NeighbourGraph) -> tuple[int, int]:
    """Count the rows and the extra variables for each output."""
    form = form_of(graph)
    if form == ROW_MINIMUM:
        return 2 * graph.size, 1
    if form == WINDOWS:
        return 10 * graph.size, 4 * graph.size
    return 2 * graph.n_edges, 0


def privacy_rows(
    graph: NeighbourGraph, step_alpha: Fraction, outputs: Sequence[int], form: str | None = None
) -> PrivacyRows:
    """State the rows for the given outputs, in one form, or in that which suits the graph."""
    form = form_of(graph) if form is None else form
    if form == ROW_MINIMUM:
        return _row_minimum(graph, step_alpha, outputs)
    if form == WINDOWS:
        return _windows(graph, step_alpha, outputs)
    return PrivacyRows(tuple(edge_pairs(graph, step_alpha, outputs)), np.empty(0, dtype=np.int64))


def edge_pairs(graph: NeighbourGraph, step_alpha: Fraction, outputs: Sequence[int]) -> list[PairRows]:
    """State both directions of every edge; one block for each length."""
    first, second, length = graph.edge_arrays()
    base = (np.array(outputs, dtype=np.int64) * graph.size)[:, None]
    blocks = []
    for d in sorted(set(length.tolist())):
        of_length = length == d
        up = np.concatenate([first[of_length], second[of_length]])
        low = np.concatenate([second[of_length], first[of_length]])
        blocks.append(PairRows("DP", step_alpha**d, (base + up).ravel(), (base + low).ravel()))
    return blocks


def _row_minimum(graph: NeighbourGraph, step_alpha: Fraction, outputs: Sequence[int]) -> PrivacyRows:
    size = graph.size
    rows = np.array(outputs, dtype=np.int64)
    entries = (rows[:, None] * size + np.arange(size, dtype=np.int64)).ravel()
    minima = np.repeat(size * size + np.arange(len(rows), dtype=np.int64), size)
    blocks = (
        PairRows("", Fraction(1), entries, minima),
        PairRows("", step_alpha, minima, entries),
    )
    return PrivacyRows(blocks, np.ones(len(rows), dtype=np.int64))


class _Window:
    """The window form of one output: running extremes from block starts and to block ends."""

    def __init__(self, output: int, graph: NeighbourGraph, first_extra: int) -> None:
        self.output, self.size, self.next = output, graph.size, first_extra
        self.distances = graph.distances[output]
        self.even: list[tuple[int, int]] = []
        self.exponents: list[int] = []

    def running(self, inputs: Sequence[int], minimum: bool) -> list[int]:
        """Nodes for the extreme of the first 1, 2, ... of the inputs; the first is the entry itself."""
        nodes = [self.output * self.size + inputs[0]]
        usual = int(self.distances[inputs[0]])
        for j in inputs[1:]:
            usual = max(usual, int(self.distances[j])) if minimum else min(usual, int(self.distances[j]))
            for inner in (nodes[-1], self.output * self.size + j):
                self.even.append((inner, self.next) if minimum else (self.next, inner))
            nodes.append(self.next)
            self.exponents.append(usual)
            self.next += 1
        return nodes


def _windows(graph: NeighbourGraph, step_alpha: Fraction, outputs: Sequence[int]) -> PrivacyRows:
    size, width = graph.size, graph.radius + 1
    starts = range(0, size, width)
    even: list[tuple[int, int]] = []
    steep: list[tuple[int, int]] = []
    exponents: list[int] = []
    for i in outputs:
        window = _Window(i, graph, size * size + len(exponents))
        blocks = [list(range(start, min(size, start + width))) for start in starts]
        low = [window.running(block, True) for block in blocks]
        high = [window.running(block, False) for block in blocks]
        for b, block in enumerate(blocks):
            if len(block) > 1:
                steep.append((low[b][-1], high[b][-1]))
            if b + 1 == len(blocks):
                continue
            ends_low, ends_high = (window.running(block[::-1], minimum) for minimum in (True, False))
            for t in range(len(blocks[b + 1])):  # inputs from block[t+1] on, and up to the next block's t
                if t + 1 < len(block):
                    end = len(block) - 2 - t
                    steep.append((ends_low[end], high[b + 1][t]))
                    steep.append((low[b + 1][t], ends_high[end]))
        even += window.even
        exponents += window.exponents
    blocks_of_rows = tuple(
        PairRows("", ratio, *(np.array(side, dtype=np.int64) for side in zip(*rows, strict=True)))
        for ratio, rows in ((Fraction(1), even), (step_alpha, steep))
    )
    return PrivacyRows(blocks_of_rows, np.array(exponents, dtype=np.int64))
