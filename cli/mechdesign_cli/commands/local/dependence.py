"""The command `mechdesign local dependence`: which attributes depend on each other."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mechdesign.documents.files import Content
from mechdesign.errors import InputError
from mechdesign.machine import memory_limit, readable_bytes
from mechdesign.rational import as_rational
from mechdesign_catalog.analyses.dependence.associations import FALSE_DISCOVERIES, Associations, find_associations
from mechdesign_catalog.analyses.dependence.interactions import require_pairs_fit
from mechdesign_catalog.analyses.dependence.learning import LearntTree, learn_tree
from mechdesign_catalog.collection.estimates.marginals_estimate import MarginalsEstimate
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.datasets.items import ItemTable
from mechdesign_catalog.decoders.tables.subsets import subsets_of
from mechdesign_catalog.systems.tables.consistency.posts import DEFAULT_POST, TABLE_POSTS, find_post
from mechdesign_catalog.systems.tables.registry import marginal_oracle_of
from mechdesign_cli.commands.local.marginals import require_attributes
from mechdesign_cli.files.data_tables import rows_csv
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.reports import ReportCommand
from mechdesign_cli.python_text import CATALOG, FIGURES, PICTURES, Code, NoPythonError, PythonText
from mechdesign_cli.record import option
from mechdesign_cli.showing.answers.checked_reports import CheckedReports
from mechdesign_cli.showing.marginals import (
    document,
    headline,
    report_dependence,
    table_post,
    warn_if_few,
)
from mechdesign_cli.showing.messages import print_result, remark
from mechdesign_cli.showing.pictures import picture

CELL_BYTES = 150
"""Bytes that an item of a synthetic row takes while rows are written."""

ON_SIMPLEX = (
    "the tree and its rows are post-processing, and not unbiased: tables of two attributes are put on the simplex"
)
TESTED = "associations are tested on {} tables, which are unbiased"


class Dependence(ReportCommand):
    """All pairs of attributes are tested; --tree or --sample alone draws the tree or synthetic rows without a test.

    On average, at most a share --fdr of the pairs that are called associated is in fact independent.

    Example: mechdesign local dependence people.parquet --association pairs.csv --association pairs.png --tree tree.png

    Example: mechdesign local dependence people.parquet --sample-output rows.csv --sample 1000
    """

    association: list[Path] | None = option(
        "Write the tests to a .csv file, or draw their matrix to .png, .svg or .pdf; may be repeated.",
        writes=(".csv", *PICTURES),
    )
    fdr: str | None = option(
        "Largest average share of false pairs among those found (default 0.05); --tree then joins only these."
    )
    tree: Path | None = option("Draw the Chow-Liu tree of dependences to .png, .svg or .pdf.", writes=PICTURES)
    sample: int | None = option("Draw N synthetic rows from the law of the tree.", metavar="N")
    sample_output: Path | None = option(
        "The synthetic rows, a column for each attribute.", writes=(".csv",), metavar="CSV"
    )
    post: str | None = option(
        f"How tables are estimated: {DEFAULT_POST} (default), or another --post of local marginals.",
        autocompletion=options.words(*TABLE_POSTS),
    )
    json: options.Json = False

    @property
    def rate(self) -> float | None:
        """The rate of false discoveries, if it was given."""
        if self.fdr is None:
            return None
        rate = float(as_rational(self.fdr, "fdr"))
        if not 0 < rate < 1:
            raise InputError(f"fdr must be in (0, 1), such as 0.05 for 5 %, got fdr={self.fdr}")
        return rate

    @property
    def learns_tree(self) -> bool:
        """Whether a tree is needed."""
        return self.tree is not None or self.sample is not None

    @property
    def tests_pairs(self) -> bool:
        """Whether pairs are tested: for their files, for a forest, or where nothing else is asked for."""
        return bool(self.association) or self.fdr is not None or not self.learns_tree

    def check_together(self) -> None:
        """Refuse rows without a file or a file without rows, and a rate that is none."""
        if (self.sample is None) != (self.sample_output is None):
            given, other = ("--sample", "--sample-output")[:: 1 if self.sample_output is None else -1]
            raise InputError(f"{given} goes with {other}, got it without")
        if self.sample is not None and self.sample < 1:
            raise InputError(f"sample must be a whole number of rows from 1 on, got {self.sample}")
        _ = self.rate  # says what is wrong with it

    def check(self, task: Task) -> None:
        """Refuse, before long files are read, what reports of this task cannot answer."""
        require_attributes(task, "dependence")
        oracle = marginal_oracle_of(task.parameters)
        find_post(table_post(self.post), oracle)
        if len(oracle.domains) < 2:
            raise InputError("dependence must be of two attributes or more, got reports of one")
        if oracle.way < 2:
            raise InputError(f"dependence must be of tables of two attributes, got reports of {oracle.title} for k=1")
        if self.tests_pairs:
            require_pairs_fit(oracle.domains, subsets_of(len(oracle.domains), 2))
        needed = CELL_BYTES * (self.sample or 0) * len(oracle.domains)
        if needed > memory_limit():
            raise InputError(
                f"sample must fit the memory ({readable_bytes(memory_limit())} of it may be used), got {self.sample} "
                f"rows, about {readable_bytes(needed)}"
            )

    def deliver(self, result: Any, checked: CheckedReports) -> None:
        """Write the files, and print the document or the tests and the tree."""
        assert isinstance(result, MarginalsEstimate)
        warn_if_few(result)
        pairs = self._associations(result) if self.tests_pairs else None
        learnt = self._tree(result, pairs) if self.learns_tree else None
        self.write(checked, self._contents(result, pairs, learnt))
        names = result.attributes.names

        def made() -> dict[str, Any]:
            told = document(result, table_post(self.post), self.level, checked.document())
            return {**told, **_documents(names, pairs, learnt)}

        print_result(self.json, made, partial(report_dependence, result, pairs, learnt))

    def _associations(self, estimate: MarginalsEstimate) -> Associations:
        """Test all pairs, of unbiased tables."""
        post = table_post(self.post)
        unbiased = post if TABLE_POSTS[post].unbiased else DEFAULT_POST
        if unbiased != post:
            remark(TESTED.format(unbiased))
        return find_associations(estimate.source(unbiased), rate=FALSE_DISCOVERIES if self.rate is None else self.rate)

    def _tree(self, estimate: MarginalsEstimate, pairs: Associations | None) -> LearntTree:
        """Learn the tree; a forest of the pairs that are found where a rate was given."""
        source = estimate.source(table_post(self.post))
        remark(ON_SIMPLEX)
        return learn_tree(source, pairs.significant if self.rate is not None and pairs is not None else None)

    def _contents(
        self, estimate: MarginalsEstimate, pairs: Associations | None, learnt: LearntTree | None
    ) -> dict[Path, Content]:
        """Make the files."""
        names, contents = estimate.attributes.names, dict[Path, Content]()
        for path in self.association or ():
            assert pairs is not None
            is_table = path.suffix.lower() == ".csv"
            draw = partial(picture, "attributes.association_matrix.plot_associations", pairs, path.suffix)
            contents[path] = (
                pairs.tabulate(names).csv_bytes() if is_table else draw(names=names, title=headline(estimate))
            )
        if learnt is not None and self.tree is not None:
            draw = partial(picture, "attributes.dependence_tree.plot_dependence_tree", learnt.tree, self.tree.suffix)
            contents[self.tree] = draw(names=names, title=headline(estimate))
        if learnt is not None and self.sample is not None and self.sample_output is not None:
            values = learnt.law.sample(self.sample, np.random.default_rng())
            items = tuple(tuple(domain.items) for domain in estimate.attributes.domains)
            contents[self.sample_output] = rows_csv(ItemTable("synthetic", names, items, values))
        return contents

    def python(self, text: PythonText) -> None:
        """Write the tests of all pairs and the tree."""
        if self.sample is not None or self.fdr is not None or self.confidence != "0.95":
            raise NoPythonError("synthetic rows, or a rate")
        self.estimated(text)
        post = table_post(self.post)
        source = "estimate.source()" if self.post is None else f"estimate.source({post!r})"
        text.add("names = estimate.attributes.names")
        if self.tests_pairs:
            tested = source if TABLE_POSTS[post].unbiased else "estimate.source()"
            text.call("pairs", text.use(CATALOG, "find_associations"), Code(tested))
            text.add("print(pairs.tabulate(names).columns)")
        for path in self.association or ():
            if path.suffix.lower() == ".csv":
                text.write(path, "pairs.tabulate(names).csv_bytes()")
            else:
                text.picture(path, f"{text.use(FIGURES, 'plot_associations')}(pairs, names)")
        if self.tree is not None:
            text.call("learnt", text.use(CATALOG, "learn_tree"), Code(source))
            text.add("print(learnt.tree.edges)")
            text.picture(self.tree, f"{text.use(FIGURES, 'plot_dependence_tree')}(learnt.tree, names)")


def _documents(names: tuple[str, ...], pairs: Associations | None, learnt: LearntTree | None) -> dict[str, Any]:
    """Return what a JSON document has of the tests and the tree."""
    found: dict[str, Any] = {}
    if pairs is not None:
        found["associations"] = {"fdr": pairs.rate, "post": pairs.post, "pairs": pairs.tabulate(names).entries()}
    if learnt is not None:
        edges = [
            {
                "attribute_1": names[edge.pair[0]],
                "attribute_2": names[edge.pair[1]],
                "mutual_information": edge.information,
                "noise": edge.noise,
            }
            for edge in learnt.tree.edges
        ]
        found["tree"] = {"post": learnt.post, "edges": edges}
    return found
