"""Make of reports of a design for a workload what was asked for: tables, documents, and a report on the screen."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mechdesign.documents.tabular import Table
from mechdesign_catalog.collection.estimates.answering import AnswerEstimate
from mechdesign_catalog.collection.estimates.named_queries import NamedQueries
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_cli.showing.answers.frequency_answers import FrequencyAnswers
from mechdesign_cli.showing.answers.range_answers import report_ranges
from mechdesign_cli.showing.tables import console


@dataclass(frozen=True, eq=False)
class WorkloadAnswers:
    """Hold an estimate, and which queries are asked for: ranges of a file, or else those of the workload."""

    found: WorkloadEstimate
    level: float
    ranges: NamedQueries | None = None
    counted: Mapping[str, Any] = field(default_factory=dict)
    """What a document tells of the reports that were counted."""

    @cached_property
    def named(self) -> NamedQueries:
        """The queries, with their names."""
        return self.ranges or self.found.named()

    @cached_property
    def answers(self) -> AnswerEstimate:
        """What the reports tell of them."""
        return self.found.answers(self.named.queries, self.level)

    def csv_bytes(self) -> bytes:
        """Write the answers."""
        return self.named.tabulate(self.answers).csv_bytes()

    def document(self) -> str:
        """Return the JSON document: the answers, and the shares of all items that the reports tell."""
        found = self.found
        body: dict[str, Any] = {
            "parameters": found.oracle.parameters,
            "workload": found.oracle.workload.name,
            "users": found.users,
            "confidence": self.level,
            "simultaneous": "sidak",
            "ordered": found.ordered,
            **self.counted,
            "queries" if self.ranges is None else "ranges": self.named.tabulate(self.answers).entries(),
            "items": self._items(),
        }
        return json.dumps(body, indent=1) + "\n"

    def _items(self) -> list[dict[str, Any]]:
        found = self.found
        numbers = found.item_answers(self.level).columns()
        estimates, _ = numbers.pop("share"), numbers.pop("least_standard_error", None)
        items = [found.domain.items[item] for item in found.told_items]
        return Table({"item": items, "estimate": estimates, **numbers}).entries()

    def picture(self, suffix: str) -> bytes:
        """Draw the shares of all items, where the reports tell them."""
        return FrequencyAnswers(self.found.frequencies, self.level).picture(suffix)

    def report(self) -> None:
        """Print the answers, and which items have none."""
        found, answers = self.found, self.answers
        report_ranges(found, self.named, answers, "ranges" if self.ranges else "queries")
        if answers.least_errors is not None:
            count = int((answers.least_errors < answers.standard_errors).sum())
            console().print(f"of {count:,}, standard errors are the largest that the reports leave possible")
        missing = found.oracle.k - len(found.told_items)
        if missing:
            console().print(f"the reports do not tell the shares of {missing:,} of {found.oracle.k:,} items")
