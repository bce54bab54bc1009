"""Deliver what is asked about how attributes depend on each other: associations, their tree, synthetic rows."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from mechdesign.documents.files import Content
from mechdesign_catalog.collection.estimates.marginals_estimate import MarginalsEstimate
from mechdesign_catalog.datasets.items import ItemTable
from mechdesign_catalog.dependence.associations import Associations, find_associations
from mechdesign_catalog.dependence.learning import LearntTree, learn_tree
from mechdesign_catalog.marginals.consistency.posts import DEFAULT_POST, TABLE_POSTS
from mechdesign_cli.marginals.asked_dependence import AskedDependence
from mechdesign_cli.marginals.data_tables import rows_csv
from mechdesign_cli.marginals.showing import headline
from mechdesign_cli.showing.messages import remark

ON_SIMPLEX = (
    "the tree and its rows are post-processing, and not unbiased: tables of two attributes are put on the simplex"
)
TESTED = "associations are tested on {} tables, which are unbiased"


@dataclass(frozen=True, eq=False)
class DependenceDelivery:
    """Hold an estimate, what is asked of it, and the way to estimate tables."""

    found: MarginalsEstimate
    asked: AskedDependence
    post: str

    @cached_property
    def associations(self) -> Associations | None:
        """The tests of all pairs, of unbiased tables, where they are needed."""
        if not self.asked.tests_pairs:
            return None
        unbiased = self.post if TABLE_POSTS[self.post].unbiased else DEFAULT_POST
        if unbiased != self.post:
            remark(TESTED.format(unbiased))
        return find_associations(self.found.source(unbiased), rate=self.asked.used_rate)

    @cached_property
    def learnt(self) -> LearntTree | None:
        """The tree, where it is needed; a forest of the pairs that are found where a rate was given."""
        if not self.asked.learns_tree:
            return None
        source = self.found.source(self.post)
        remark(ON_SIMPLEX)
        forest = self.asked.rate is not None and self.associations is not None
        return learn_tree(source, self.associations.found if forest and self.associations else None)

    def contents(self) -> dict[Path, Content]:
        """Make the files."""
        names = self.found.attributes.names
        contents: dict[Path, Content] = {}
        for path in self.asked.associations:
            assert self.associations is not None  # as it is asked for
            is_table = path.suffix.lower() == ".csv"
            contents[path] = self.associations.tabulate(names).csv_bytes() if is_table else self._matrix(path.suffix)
        if self.asked.tree is not None:
            contents[self.asked.tree] = self._tree_picture(self.asked.tree.suffix)
        if self.asked.rows is not None and self.asked.rows_output is not None:
            contents[self.asked.rows_output] = self._rows(self.asked.rows)
        return contents

    def document(self) -> dict[str, Any]:
        """Return what a JSON document has of it, for each part that is asked for."""
        names = self.found.attributes.names
        document: dict[str, Any] = {}
        if self.associations is not None:
            pairs = self.associations.tabulate(names).entries()
            document["associations"] = {"fdr": self.associations.rate, "post": self.associations.post, "pairs": pairs}
        if self.learnt is not None:
            edges = [
                {
                    "attribute_1": names[edge.pair[0]],
                    "attribute_2": names[edge.pair[1]],
                    "mutual_information": edge.information,
                    "noise": edge.noise,
                }
                for edge in self.learnt.tree.edges
            ]
            document["tree"] = {"post": self.learnt.post, "edges": edges}
        return document

    def _matrix(self, suffix: str) -> bytes:
        from mechdesign_figures.plots.attributes.association_matrix import plot_associations
        from mechdesign_figures.plots.parts.saving import picture_bytes

        assert self.associations is not None  # as it is asked for
        axes = plot_associations(self.associations, self.found.attributes.names, title=headline(self.found))
        return picture_bytes(axes, suffix)

    def _tree_picture(self, suffix: str) -> bytes:
        from mechdesign_figures.plots.attributes.dependence_tree import plot_dependence_tree
        from mechdesign_figures.plots.parts.saving import picture_bytes

        assert self.learnt is not None  # as it is asked for
        axes = plot_dependence_tree(self.learnt.tree, self.found.attributes.names, title=headline(self.found))
        return picture_bytes(axes, suffix)

    def _rows(self, rows: int) -> bytes:
        assert self.learnt is not None  # as they are asked for
        attributes = self.found.attributes
        values = self.learnt.law.sample(rows, np.random.default_rng())
        items = tuple(tuple(domain.items) for domain in attributes.domains)
        return rows_csv(ItemTable("synthetic", attributes.names, items, values))
