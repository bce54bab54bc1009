"""Deliver the marginal tables that are asked for."""

import json as json_module
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from mechdesign.documents.files import Content
from mechdesign.documents.tabular import Table
from mechdesign_catalog.collection.estimates.marginals_estimate import MarginalsEstimate, NamedTable, tabulate
from mechdesign_catalog.marginals.consistency.posts import TABLE_POSTS
from mechdesign_cli.files.targets import write_and_say
from mechdesign_cli.marginals.asked_tables import AskedTables
from mechdesign_cli.marginals.dependence_delivery import DependenceDelivery
from mechdesign_cli.marginals.dependence_showing import report_associations, report_tree
from mechdesign_cli.marginals.showing import headline, report_tables
from mechdesign_cli.showing.messages import remark

BIASED = "shares are not unbiased ({}: {}); standard errors and intervals are those of the unbiased estimates beneath"

FEW_USERS = 30
"""Below so many users who told the same coefficient or table, 95 % intervals were seen to cover 80 to 94 %."""

FEW = (
    "some coefficients or tables were told by only {}: standard errors, which take estimates for the truth, may be too "
    "small"
)


@dataclass(frozen=True, eq=False)
class TableDelivery:
    """Hold an estimate, what is asked of it, and what is asked about how its attributes depend on each other."""

    found: MarginalsEstimate
    asked: AskedTables
    level: float
    dependence: DependenceDelivery
    counted: Mapping[str, Any] = field(default_factory=dict)
    """What a document tells of the reports that were counted."""

    @cached_property
    def tables(self) -> list[NamedTable]:
        """The table that is asked for, all of them, or those of single attributes."""
        if self.asked.marginal:
            return [self.found.table(self.asked.marginal, self.asked.post)]
        return self.found.tables(None if self.asked.all_tables else 1, self.asked.post)

    def deliver(self, output: Path | None, plot: Path | None, json: bool) -> None:
        """Write the files, and print the document or the tables."""
        post = TABLE_POSTS[self.asked.post]
        if not post.unbiased:
            remark(BIASED.format(post.name, post.title))
            if any(not table.has_errors for table in self.tables):
                remark(
                    f"tables of more than k={self.found.oracle.way} attributes have no unbiased estimates, nor errors"
                )
        if (fewest := self.found.fewest_users) < FEW_USERS:
            remark(FEW.format(f"{fewest} user{'s' * (fewest != 1)}"))
        contents: dict[Path, Content] = {}
        if output is not None:
            contents[output] = self._csv()
        if plot is not None:
            contents[plot] = self._picture(plot.suffix)
        contents |= self.dependence.contents()
        write_and_say(contents)
        if json:
            print(json_module.dumps(self.document(), indent=1))
        elif self.dependence.asked.given and not any(self.asked.given.values()):
            print(headline(self.found))
        else:
            report_tables(self.found, self.tables, self.level, self._where_all_are(output))
        if not json:
            self._report_dependence()

    def document(self) -> dict[str, Any]:
        """Return the JSON document: the oracle, the attributes, and the tables with a row for each cell."""
        found = self.found
        pairs = zip(found.attributes.names, found.attributes.domains, strict=True)
        return {
            "parameters": found.oracle.parameters,
            "users": found.users,
            "confidence": self.level,
            "post": self.asked.post,
            "unbiased": TABLE_POSTS[self.asked.post].unbiased,
            **self.counted,
            "attributes": [{"name": name, "items": list(domain.items)} for name, domain in pairs],
            "tables": [_table_document(table, self.level) for table in self.tables],
            **self.dependence.document(),
        }

    def _where_all_are(self, output: Path | None) -> str:
        """Say where the cells are that the screen has no room for."""
        if output is not None:
            return f"{output} has all"
        return "--output FILE.csv has all" if any(self.asked.given.values()) else "--json has all"

    def _report_dependence(self) -> None:
        names = self.found.attributes.names
        if self.dependence.associations is not None:
            print()
            report_associations(self.dependence.associations, names)
        if self.dependence.learnt is not None:
            print()
            report_tree(self.dependence.learnt, names)

    def _csv(self) -> bytes:
        table = self.tables[0].tabulate(self.level) if self.asked.marginal else tabulate(self.tables, self.level)
        return table.csv_bytes()

    def _picture(self, suffix: str) -> bytes:
        from mechdesign_figures.plots.attributes.marginal import plot_marginal
        from mechdesign_figures.plots.parts.saving import picture_bytes

        axes = plot_marginal(self.tables[0], level=self.level, title=headline(self.found))
        return picture_bytes(axes, suffix)


def _table_document(table: NamedTable, level: float) -> dict[str, Any]:
    cells = Table({"items": [list(cell) for cell in table.cells()], **table.numbers(level)})
    return {"attributes": list(table.attributes.names), "cells": cells.entries()}
