"""The tree of dependences that tells most of all attributes at once (Chow, Liu)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from mechdesign_catalog.analyses.dependence.information import pair_information
from mechdesign_catalog.decoders.tables.subsets import Shares, Subset


@dataclass(frozen=True)
class Edge:
    """Two attributes that are joined, the lower number first.

    `information` is their mutual information in nats, `noise` how much of it was taken off before pairs were compared,
    as what noise alone shows.
    """

    pair: Subset
    information: float
    noise: float = 0.0

    @property
    def beyond_noise(self) -> float:
        """Mutual information less that of noise, in nats."""
        return self.information - self.noise


@dataclass(frozen=True)
class DependenceTree:
    """The edges of a tree of d attributes, or of a forest, those that tell most first."""

    d: int
    edges: tuple[Edge, ...]

    @property
    def information(self) -> float:
        """Sum of the edges' mutual information less that of noise, in nats."""
        return sum(edge.beyond_noise for edge in self.edges)

    @property
    def parents(self) -> dict[int, int | None]:
        """The attribute that each hangs on, from the lowest number of each tree; see `hung_from`."""
        return self.hung_from(range(self.d))

    def hung_from(self, starts: Iterable[int]) -> dict[int, int | None]:
        """Find the attribute that each hangs on, None for the first of a tree; parents stand before their children.

        Of each tree the first is the attribute that stands first in `starts`; only trees that have one there are
        returned. That is for drawing and sampling: where tables agree, the law of a tree is the same from wherever it
        hangs.
        """
        near: dict[int, list[int]] = {i: [] for i in range(self.d)}
        for edge in self.edges:
            a, b = edge.pair
            near[a].append(b)
            near[b].append(a)
        found: dict[int, int | None] = {}
        for start in starts:
            if start not in found:
                found[start] = None
                waiting = [start]
                for parent in waiting:
                    for child in sorted(set(near[parent]) - set(found)):
                        found[child] = parent
                        waiting.append(child)
        return found


def chow_liu_tree(
    shares: Shares, among: Collection[Subset] | None = None, noise: Mapping[Subset, float] | None = None
) -> DependenceTree:
    """Find the tree of attributes with the most mutual information between neighbours.

    Of all laws in which attributes depend on each other along a tree, the one of this tree, with the pairs' own tables
    on its edges, is nearest to the joint law in relative entropy (Chow, Liu, *Approximating discrete probability
    distributions with dependence trees*, 1968; Kulkarni's thesis, sections 2.5.1 and 4.5.2).

    Args:
        shares: laws of one and two attributes: `on_the_simplex` of estimates, or true shares.
        among: pairs that may be joined; where they do not join all attributes the result is a forest. With the pairs
            that a noise-aware test finds (`find_associations`), noise alone joins no attributes.
        noise: mutual information to take off that of each pair before pairs are compared (`noise_information`); by
            default none, as published.
    """
    informations = pair_information(shares)
    edges = {pair: Edge(pair, value, noise[pair] if noise else 0.0) for pair, value in informations.items()}
    allowed = edges if among is None else {pair: edges[pair] for pair in among}
    weights = {pair: edge.beyond_noise for pair, edge in allowed.items()}
    kept = sorted((edges[pair] for pair in _spanning(weights, len(shares.domains))), key=_order)
    return DependenceTree(len(shares.domains), tuple(kept))


def _order(edge: Edge) -> tuple[float, Subset]:
    return -edge.beyond_noise, edge.pair


def _spanning(weights: Mapping[Subset, float], d: int) -> list[Subset]:
    """The forest of the largest weight that joins all that these pairs join; of equal weights the first pair."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    ranked = sorted(weights, key=lambda pair: (-weights[pair], pair))
    if not ranked:
        return []
    first, second = np.array(ranked).T
    graph = csr_array((np.arange(1.0, len(ranked) + 1), (first, second)), shape=(d, d))
    kept = minimum_spanning_tree(graph).tocoo()
    return [(min(a, b), max(a, b)) for a, b in zip(kept.row.tolist(), kept.col.tolist(), strict=True)]
