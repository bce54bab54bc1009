"""Make of an estimate what was asked for: tables, pictures, documents, and reports on the screen."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from mechdesign_catalog.collection.estimates.answering import AnswerEstimate
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.named_queries import NamedQueries
from mechdesign_catalog.datasets.items.bins import Grid
from mechdesign_catalog.oracles.decoder import NORM, RAW
from mechdesign_catalog.ordered.distribution import DistributionFunction
from mechdesign_catalog.ordered.quantiles import METHOD, STATEMENT, QuantileEstimate, quantiles
from mechdesign_cli.showing.answers.item_estimates import report_items
from mechdesign_cli.showing.answers.range_answers import report_ranges

MOST_PLACES = 500
"""Places at which a JSON document has the distribution function, of more items evenly spread ones."""

QUARTILES = "1/4,1/2,3/4"


@dataclass(frozen=True, eq=False)
class FrequencyAnswers:
    """Hold an estimate, and which ranges and quantiles of its items are asked for, if any."""

    found: FrequencyEstimate
    level: float
    ranges: NamedQueries | None = None
    asked: tuple[Fraction, ...] = ()
    simultaneous: bool = False
    counted: Mapping[str, Any] = field(default_factory=dict)
    """What a document tells of the reports that were counted."""

    @cached_property
    def answers(self) -> AnswerEstimate:
        """The shares of the ranges."""
        assert self.ranges is not None
        return self.found.answers(self.ranges.queries, self.level)

    @cached_property
    def marked(self) -> QuantileEstimate:
        """The quantiles."""
        return quantiles(self.found, self.asked, self.level)

    @cached_property
    def distribution(self) -> DistributionFunction | None:
        """The distribution function of items in one order, unless frequencies were made others of."""
        found = self.found
        if not found.ordered or not found.is_unbiased or isinstance(found.domain, Grid):
            return None
        marked = self.marked if self.asked else quantiles(found, QUARTILES, self.level)
        return DistributionFunction.of(found, marked, MOST_PLACES)

    def csv_bytes(self) -> bytes:
        """Write the shares of the ranges, or of all items where no ranges are asked for."""
        table = self.found.tabulate(self.level) if self.ranges is None else self.ranges.tabulate(self.answers)
        return table.csv_bytes()

    def quantiles_csv(self) -> bytes:
        """Write the quantiles."""
        return self.marked.tabulate(simultaneous=self.simultaneous).csv_bytes()

    def document(self) -> str:
        """Return the JSON document: ranges or all items, the distribution function, quantiles, with intervals."""
        found = self.found
        body: dict[str, Any] = {
            "parameters": found.oracle.parameters,
            "users": found.users,
            "confidence": self.level,
            "post": found.post or (RAW if self.ranges is None else NORM),
            "simultaneous": "sidak",
            "ordered": found.ordered,
            **self.counted,
        }
        if self.ranges is None:
            above = [found.items[item] for item in found.above_noise(self.level)]
            body |= {"above_noise": above, "items": found.tabulate(self.level).entries()}
        else:
            body["ranges"] = self.ranges.tabulate(self.answers).entries()
        if (function := self.distribution) is not None:
            body["distribution"] = {"kind": function.kind, "places": function.tabulate().entries()}
        if self.asked:
            body |= {
                "quantiles": self.marked.tabulate(simultaneous=self.simultaneous).entries(),
                "quantile_method": METHOD,
                "quantile_intervals": self.marked.together(simultaneous=self.simultaneous),
                "quantile_statement": STATEMENT,
            }
        return json.dumps(body, indent=1) + "\n"

    def picture(self, suffix: str) -> bytes:
        """Draw the distribution function of items in order, or else the frequencies of the items."""
        from mechdesign_figures.plots.distribution import plot_distribution
        from mechdesign_figures.plots.frequencies import plot_frequencies
        from mechdesign_figures.plots.parts.saving import picture_bytes

        found = self.found
        if not self.asked and (not found.ordered or not found.is_unbiased or isinstance(found.domain, Grid)):
            return picture_bytes(plot_frequencies(found, level=self.level), suffix)
        at = self.marked if self.asked else None
        return picture_bytes(plot_distribution(found, at=at, level=self.level), suffix)

    def report(self) -> None:
        """Print the ranges, or the items."""
        if self.ranges is None:
            report_items(self.found, self.level)
        else:
            report_ranges(self.found, self.ranges, self.answers)
