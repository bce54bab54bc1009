"""Marginal tables and dependences that were asked for: whether reports have them, their document, the screen."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from mechdesign.documents.tabular import Column, words
from mechdesign_catalog.analyses.dependence.associations import Association, Associations
from mechdesign_catalog.analyses.dependence.learning import LearntTree
from mechdesign_catalog.collection.estimates.marginals_estimate import (
    MarginalsEstimate,
    checked_names,
    require_tables_fit,
    tabulate,
)
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.decoders.estimate import Estimate, require_free_names
from mechdesign_catalog.decoders.tables.subsets import subsets_of
from mechdesign_catalog.systems.attributes.marginal_oracle import MarginalOracle
from mechdesign_catalog.systems.tables.consistency.posts import DEFAULT_POST, TABLE_POSTS, find_post
from mechdesign_cli.showing.messages import print_result, remark
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.tables import ERROR, console, negative_note, print_table

BIASED = "shares are not unbiased ({}: {}); standard errors and intervals are those of the unbiased estimates beneath"

FEW_USERS = 30
"""Below so many users who told the same coefficient or table, 95 % intervals were seen to cover 80 to 94 %."""

FEW = (
    "some coefficients or tables were told by only {}: standard errors, which take estimates for the truth, may be too "
    "small"
)


POSTS = f"{DEFAULT_POST} (default), {', '.join(name for name in TABLE_POSTS if name != DEFAULT_POST)}."
"""How tables may be estimated, as the help says it."""


def table_post(post: str | None) -> str:
    """Return the name of a way to estimate tables; least squares if none is given."""
    return DEFAULT_POST if post is None else post.strip().lower()


@dataclass(frozen=True)
class TableOptions:
    """One table, by the names of its attributes, or all tables of `way` attributes (None: of k), and the post."""

    way: int | None
    marginal: tuple[str, ...]
    post: str

    def check(self, oracle: MarginalOracle, attributes: Attributes, *, writes: bool = False) -> None:
        """Refuse, before long files are read, what the reports cannot answer; `writes` tells of a file of one table.

        Raises:
            InputError: for an unknown attribute or way to estimate, more attributes than were collected for, tables
                that do not fit the memory, or an attribute called like another column of the file.
        """
        find_post(self.post, oracle)
        if self.marginal:
            require_tables_fit(attributes, [checked_names(oracle, attributes, self.marginal, self.post)])
            if writes:
                require_free_names(self.marginal)
        else:
            require_tables_fit(attributes, subsets_of(len(attributes), self.way or oracle.way))

    def of(self, estimate: MarginalsEstimate) -> list[Estimate]:
        """Estimate the tables."""
        return [estimate.table(self.marginal, self.post)] if self.marginal else estimate.tables(self.way, self.post)

    def tabulate(self, tables: list[Estimate], level: float) -> bytes:
        """Write them as CSV."""
        return (tables[0].tabulate(level) if self.marginal else tabulate(tables, level)).csv_bytes()


def warn_of_tables(estimate: MarginalsEstimate, options: TableOptions, tables: list[Estimate]) -> None:
    """Remark on tables that are not unbiased, have no errors, or come from few users."""
    post = TABLE_POSTS[options.post]
    if not post.unbiased:
        remark(BIASED.format(post.name, post.title))
        if any(not table.has_errors for table in tables):
            remark(f"tables of more than k={estimate.oracle.way} attributes have no unbiased estimates, nor errors")
    warn_if_few(estimate)


def show_tables(
    estimate: MarginalsEstimate,
    options: TableOptions,
    level: float,
    counted: Mapping[str, Any],
    tables: list[Estimate],
    output: Path | None,
    *,
    is_json: bool,
) -> None:
    """Print the document or the tables; `counted` is what is told of the reports, `output` the file with all cells."""

    def made() -> dict[str, Any]:
        listed = [_table_document(table, level) for table in tables]
        return {**document(estimate, options.post, level, counted), "tables": listed}

    rest = "--output FILE.csv has all" if output is None else f"{output} has all"
    print_result(is_json, made, partial(report_tables, estimate, tables, level, rest))


def warn_if_few(estimate: MarginalsEstimate) -> None:
    """Remark that standard errors may be too small where few users told the same thing."""
    if (fewest := estimate.fewest_users) < FEW_USERS:
        remark(FEW.format(f"{fewest} user{'s' * (fewest != 1)}"))


def document(estimate: MarginalsEstimate, post: str, level: float, counted: Mapping[str, Any]) -> dict[str, Any]:
    """Return what every document on several attributes has: the oracle, the reports, the attributes."""
    pairs = zip(estimate.attributes.names, estimate.attributes.domains, strict=True)
    return {
        "parameters": estimate.oracle.parameters,
        "users": estimate.users,
        "confidence": level,
        "post": post,
        "unbiased": TABLE_POSTS[post].unbiased,
        **counted,
        "attributes": [{"name": name, "items": list(domain.items)} for name, domain in pairs],
    }


def table_picture(estimate: MarginalsEstimate, table: Estimate, level: float, suffix: str) -> bytes:
    """Draw a table of one or two attributes in the format of a suffix."""
    return picture("attributes.marginal.plot_marginal", table, suffix, level=level, title=headline(estimate))


def _table_document(table: Estimate, level: float) -> dict[str, Any]:
    cells = table.named({"items": [list(label) for label in table.labels()]}).tabulate(level)
    return {"attributes": list(table.names), "cells": cells.entries()}


MOST_CELLS = 40


def report_tables(estimate: MarginalsEstimate, tables: Sequence[Estimate], level: float, rest: str) -> None:
    """Print what was reported about, and the tables; `rest` says where the cells are that are too many for a screen."""
    screen = console()
    screen.print(headline(estimate), style="bold")
    room = MOST_CELLS
    for shown, table in enumerate(tables):
        if room <= 0:
            more = len(tables) - shown
            screen.print(f"{more:,} more table{'' if more == 1 else 's'}; {rest}", soft_wrap=True)
            return
        if len(tables) > 1 and shown:
            screen.print()
        _print_cells(table, level, room, screen, rest)
        room -= len(table)


def headline(estimate: MarginalsEstimate) -> str:
    """Say in one line what was reported about."""
    oracle, d = estimate.oracle, len(estimate.attributes)
    attributes = f"{d} attribute{'' if d == 1 else 's'}"
    return f"{estimate.users:,} reports of {oracle.title}, {attributes}, {oracle.privacy.describe()}"


def _print_cells(estimate: Estimate, level: float, most: int, screen: Console, rest: str) -> None:
    columns = [words(name, items[:most]) for name, items in estimate.names.items()]
    columns.append(Column("share", [f"{share:z.4f}" for share in estimate.shares[:most]]))
    if estimate.has_errors:
        ends = zip(*(end[:most] for end in estimate.intervals(level)), strict=True)
        columns.append(Column(ERROR, [f"{error:.4f}" for error in estimate.standard_errors[:most]]))
        columns.append(Column(f"{100 * level:g} % interval", [f"{low:z.4f} to {high:z.4f}" for low, high in ends]))
    print_table(columns, (ERROR,), 6)
    if (note := negative_note(estimate.shares[:most])) is not None:
        screen.print(note, soft_wrap=True)
    if len(estimate) > most:
        screen.print(f"the first {most} of {len(estimate):,} cells; {rest}", soft_wrap=True)


MOST_PAIRS = 40


def report_dependence(estimate: MarginalsEstimate, pairs: Associations | None, learnt: LearntTree | None) -> None:
    """Print what was reported about, the tests and the tree, those that there are."""
    print(headline(estimate))
    if pairs is not None:
        print()
        report_associations(pairs, estimate.attributes.names)
    if learnt is not None:
        print()
        report_tree(learnt, estimate.attributes.names)


def report_associations(associations: Associations, names: Sequence[str]) -> None:
    """Print the pairs of attributes that are found, the surest first, and what the published test would find."""
    screen = console()
    shown = sorted((test for test in associations.tests if test.is_significant), key=_order)
    screen.print(
        f"{len(shown)} of {len(associations.tests)} pairs of attributes are associated (fdr {associations.rate:g})"
    )
    if shown:
        tests = shown[:MOST_PAIRS]
        numbers = [
            Column("Cramer's V", [f"{test.cramers_v:.3f}" for test in tests]),
            Column("p-value", [f"{test.aware.p_value:.2g}" for test in tests]),
            Column("q-value", [f"{test.q_value:.2g}" for test in tests]),
        ]
        _print_pairs([test.pair for test in tests], names, numbers)
    if len(shown) > MOST_PAIRS:
        screen.print(f"the first {MOST_PAIRS} of them; --association FILE.csv has all pairs")
    published = [test.published.p_value for test in associations.tests if not math.isnan(test.published.p_value)]
    called = sum(p_value <= associations.rate for p_value in published)
    screen.print(f"the published test, which knows no noise, calls {called} of {len(published)} dependent")
    if len(published) < len(associations.tests):
        screen.print(
            f"it is not defined for {len(associations.tests) - len(published)}, where expected counts are below 0"
        )


def report_tree(learnt: LearntTree, names: Sequence[str]) -> None:
    """Print the edges of a tree, those that tell most first."""
    screen = console()
    tree = learnt.tree
    kind = "tree" if len(tree.edges) == tree.d - 1 else "forest"
    joined = "1 pair" if len(tree.edges) == 1 else f"{len(tree.edges)} pairs"
    beyond = " beyond noise" if any(edge.noise for edge in tree.edges) else ""
    screen.print(f"{kind} of dependences: {joined}, mutual information{beyond} {tree.information:.4g} nats")
    if tree.edges:
        edges = tree.edges[:MOST_PAIRS]
        nats = Column("nats", [f"{edge.beyond_noise:.4f}" for edge in edges])
        _print_pairs([edge.pair for edge in edges], names, [nats])
    if len(tree.edges) > MOST_PAIRS:
        screen.print(f"the first {MOST_PAIRS} of {len(tree.edges)}; --json has all")


def _print_pairs(pairs: Sequence[Sequence[int]], names: Sequence[str], numbers: Sequence[Column]) -> None:
    """Print pairs of attributes by their names, and numbers of each."""
    both = [words("attribute", [names[i] for i in attributes]) for attributes in zip(*pairs, strict=True)]
    print_table([*both, *numbers], least=6)


def _order(test: Association) -> tuple[float, float]:
    return test.q_value, -test.cramers_v
