"""Learning of a tree of dependences and its joint law, from estimated tables."""

from collections.abc import Collection
from dataclasses import dataclass

from mechdesign_catalog.analyses.dependence.information import noise_information, on_the_simplex
from mechdesign_catalog.analyses.dependence.tree_law import TreeLaw
from mechdesign_catalog.analyses.dependence.trees import DependenceTree, chow_liu_tree
from mechdesign_catalog.decoders.tables.subsets import Subset
from mechdesign_catalog.systems.tables.estimates import TableSource


@dataclass(frozen=True, eq=False)
class LearntTree:
    """A tree of dependences, or a forest, and the joint law of all attributes that it gives.

    Both are post-processing of estimates: they cost no privacy, and are not unbiased.
    """

    tree: DependenceTree
    law: TreeLaw
    post: str


def learn_tree(source: TableSource, among: Collection[Subset] | None = None) -> LearntTree:
    """Learn the Chow-Liu tree of the attributes from estimated tables, and its law.

    Tables of one and two attributes are put on the simplex (`on_the_simplex`). Where they were unbiased, what noise
    alone adds to the mutual information of each pair is taken off before pairs are compared (`noise_information`).

    Args:
        source: tables of two attributes, estimated in any way.
        among: pairs that may be joined (`Associations.significant` for a forest); all by default.

    Raises:
        InputError: for less than two attributes, or tables of one attribute.
    """
    shares = on_the_simplex(source)
    noise = noise_information(source) if source.unbiased else None
    tree = chow_liu_tree(shares, among, noise)
    return LearntTree(tree, TreeLaw.of(tree, shares), source.post)
