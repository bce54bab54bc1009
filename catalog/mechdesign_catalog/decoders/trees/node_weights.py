"""Node weights: the share of each tree node's estimate in answers of linear queries.

In a consistent tree (`inference`) the answer is `t_root + sum_v u_v f_v`, with u from two passes over the nodes. Up,
`t_v` is by how much the answer grows with the final share of v: the weight of a leaf, and `sum_c E_c t_c / sum_c E_c`
over the children c of another node. Down, `u_c = a_c Z_c` with `Z_c = t_c - t_v + (1 - a_v) Z_v`, where Z is 0 at the
root.

Without inference, nodes all of whose items have one weight take it, unless their parent is such a node too: the least
number of nodes, for a range.
"""

import numpy as np

from mechdesign_catalog.decoders.trees.inference import Averaging
from mechdesign_catalog.decoders.trees.tree import Tree
from mechdesign_catalog.randomizers.reports.probabilities import Floats


def consistent_weights(averaging: Averaging, weights: Floats) -> tuple[Floats, list[Floats]]:
    """Return the constants of queries, shape (q,), and their weights of the nodes of levels 1 to h, (q, nodes) each.

    Args:
        averaging: how estimates are averaged.
        weights: those of the items, shape (q, k).
    """
    tree = averaging.tree
    effects = _effects(averaging, np.asarray(weights, dtype=np.float64))
    found: list[Floats] = []
    passed = np.zeros_like(effects[0])
    for level in range(1, tree.height + 1):
        nodes = tree.nodes[level - 1]
        own = np.full(nodes, averaging.full_own[level])
        own[-1] = averaging.last_own[level]
        total = effects[level] + from_parents(tree, level, passed - effects[level - 1])
        found.append(own * total)
        passed = (1 - own) * total
    return effects[0][:, 0], found


def _effects(averaging: Averaging, weights: Floats) -> list[Floats]:
    """Weights t of the nodes of levels 0 to h."""
    tree, effects = averaging.tree, [weights]
    for level in range(tree.height - 1, -1, -1):
        below = effects[-1]
        nodes = tree.nodes[level - 1] if level else 1
        above = np.empty((len(weights), nodes))
        above[:, :-1] = below[:, : (nodes - 1) * tree.b].reshape(len(weights), nodes - 1, tree.b).mean(axis=2)
        last = below[:, (nodes - 1) * tree.b :]
        full, short = averaging.full_variances[level + 1], averaging.last_variances[level + 1]
        above[:, -1] = (full * last[:, :-1].sum(axis=1) + short * last[:, -1]) / averaging.last_sums[level]
        effects.append(above)
    return effects[::-1]


def decomposed_weights(tree: Tree, weights: Floats) -> tuple[Floats, list[Floats]]:
    """Return what `consistent_weights` does for estimates that are used as they are."""
    low = [np.asarray(weights, dtype=np.float64)]
    high = [low[0]]
    for nodes in (*tree.nodes[-2::-1], 1):
        edges = np.arange(nodes) * (tree.b if nodes > 1 or tree.height > len(low) else low[-1].shape[1])
        low.append(np.minimum.reduceat(low[-1], edges, axis=1))
        high.append(np.maximum.reduceat(high[-1], edges, axis=1))
    low, alike = low[::-1], [least == largest for least, largest in zip(low[::-1], high[::-1], strict=True)]
    found: list[Floats] = []
    covered = alike[0]
    for level in range(1, tree.height + 1):
        above = from_parents(tree, level, covered)
        found.append(np.where(alike[level] & ~above, low[level], 0.0))
        covered = above | alike[level]
    return np.where(alike[0], low[0], 0.0)[:, 0], found


def from_parents(tree: Tree, level: int, values: np.ndarray) -> np.ndarray:
    """Give each node of a level its parent's value, shape (q, nodes)."""
    if level == 1:
        return np.broadcast_to(values, (len(values), tree.nodes[0]))
    return np.repeat(values, tree.b, axis=1)[:, : tree.nodes[level - 1]]
