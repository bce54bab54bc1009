"""Outputs of an estimate: tables, pictures, documents, and reports on the screen."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from mechdesign_catalog.analyses.ordered.distribution import DistributionFunction
from mechdesign_catalog.analyses.ordered.moments import moments, require_numbers, width_statement
from mechdesign_catalog.analyses.ordered.quantiles import METHOD, STATEMENT, QuantileEstimate, quantiles
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.named_queries import NamedQueries
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_catalog.datasets.items.bins import Grid
from mechdesign_catalog.decoders.estimate import Estimate
from mechdesign_cli.showing.answers.item_estimates import (
    print_precision,
    quantile_words,
    report_items,
    report_moments,
    report_ranges,
)
from mechdesign_cli.showing.messages import entries_of
from mechdesign_cli.showing.pictures import picture
from mechdesign_cli.showing.tables import console

MOST_PLACES = 500
"""Places at which a JSON document has the distribution function, of more items evenly spread ones."""

HEAD = ("parameters", "workload", "users", "confidence", "post", "simultaneous", "ordered")
"""What documents begin with, in this order."""

QUARTILES = "1/4,1/2,3/4"


@dataclass(frozen=True, eq=False)
class Answers(ABC):
    """An estimate, and which ranges are asked for, if any; `counted` is what a document tells of the reports.

    `mean_at` says which place in its bin a value counts as, where mean and variance are asked for.
    """

    estimate: FrequencyEstimate | WorkloadEstimate
    level: float
    ranges: NamedQueries | None = None
    counted: Mapping[str, Any] = field(default_factory=dict)
    mean_at: str | None = None

    @cached_property
    def moments(self) -> Estimate:
        """Mean and variance of the numbers, which are asked for."""
        assert self.mean_at is not None
        return moments(self.estimate, self.mean_at)

    @property
    def moment_statement(self) -> str:
        """What the width of the bins costs."""
        assert self.mean_at is not None
        return width_statement(require_numbers(self.estimate.domain), self.mean_at)

    def moment_entries(self) -> dict[str, Any]:
        """Return what a document tells of mean and variance, nothing where they are not asked for."""
        if self.mean_at is None:
            return {}
        return {"moments": self.moments.tabulate(self.level).entries(), "moment_statement": self.moment_statement}

    def report(self) -> None:
        """Print the answers, then mean and variance."""
        self.report_shares()
        if self.mean_at is not None:
            report_moments(self.moments, self.moment_statement, self.level)

    @property
    @abstractmethod
    def answers(self) -> Estimate:
        """The shares that are asked for."""

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Return the JSON document."""

    @abstractmethod
    def picture(self, suffix: str) -> bytes:
        """Draw the shares of all items."""

    @abstractmethod
    def report_shares(self) -> None:
        """Print the answers."""

    def csv_bytes(self) -> bytes:
        """Write the shares that are asked for."""
        return self.answers.tabulate(self.level).csv_bytes()

    def head(self, **more: object) -> dict[str, Any]:
        """Return what documents begin with; `more` is said of the estimate besides, each in its place."""
        said = {
            **entries_of(self.estimate, "users", "ordered"),
            "confidence": self.level,
            "simultaneous": "sidak",
            **more,
        }
        said["parameters"] = self.estimate.oracle.parameters
        return {name: said[name] for name in HEAD if name in said} | dict(self.counted)


@dataclass(frozen=True, eq=False)
class FrequencyAnswers(Answers):
    """An estimate of the shares of all items, and which ranges and quantiles of them are asked for, if any."""

    estimate: FrequencyEstimate
    probabilities: tuple[Fraction, ...] = ()
    simultaneous: bool = False

    @cached_property
    def answers(self) -> Estimate:
        """The shares of the ranges, or of all items where no ranges are asked for."""
        if self.ranges is None:
            return self.estimate
        return self.estimate.answers(self.ranges.queries).named(self.ranges.names)

    @cached_property
    def marked(self) -> QuantileEstimate:
        """The quantiles."""
        return quantiles(self.estimate, self.probabilities, self.level)

    @property
    def has_distribution(self) -> bool:
        """Whether items are in one order, and frequencies were not made others of."""
        return self.estimate.ordered and self.estimate.is_unbiased and not isinstance(self.estimate.domain, Grid)

    def quantiles_csv(self) -> bytes:
        """Write the quantiles."""
        return self.marked.tabulate(simultaneous=self.simultaneous).csv_bytes()

    def document(self) -> dict[str, Any]:
        """Return the JSON document: ranges or all items, the distribution function, quantiles, with intervals."""
        found, body = self.estimate, self.head(post=self.answers.post)
        if self.ranges is None:
            above = [found.items[item] for item in found.above_noise(self.level)]
            body["above_noise"] = above if found.has_errors else None
        body["items" if self.ranges is None else "ranges"] = self.answers.tabulate(self.level).entries()
        if self.has_distribution:
            marked = self.marked if self.probabilities else quantiles(found, QUARTILES, self.level)
            function = DistributionFunction.of(found, marked, MOST_PLACES)
            body["distribution"] = {"kind": function.kind, "places": function.tabulate().entries()}
        if self.probabilities:
            body |= {
                "quantiles": self.marked.tabulate(simultaneous=self.simultaneous).entries(),
                "quantile_method": METHOD,
                "quantile_intervals": self.marked.together(simultaneous=self.simultaneous),
                "quantile_statement": STATEMENT,
                "untold_quantiles": [float(one) for one in self.marked.untold(simultaneous=self.simultaneous)],
            }
        return body | self.moment_entries()

    def picture(self, suffix: str) -> bytes:
        """Draw the distribution function of items in order, or else the frequencies of the items."""
        if not self.probabilities and not self.has_distribution:
            return picture("frequencies.plot_frequencies", self.estimate, suffix, level=self.level)
        at = self.marked if self.probabilities else None
        return picture("distribution.plot_distribution", self.estimate, suffix, at=at, level=self.level)

    def report_shares(self) -> None:
        """Print the ranges, or the items."""
        if self.ranges is None:
            asked = self.probabilities and quantile_words(self.estimate, self.marked, simultaneous=self.simultaneous)
            report_items(self.estimate, self.level, asked or None)
        else:
            report_ranges(self.estimate, self.answers, self.level)
            print_precision(self.estimate, self.ranges.queries, self.answers)


@dataclass(frozen=True, eq=False)
class WorkloadAnswers(Answers):
    """Answers from a design's reports to its workload's queries, or to ranges of a file."""

    estimate: WorkloadEstimate

    @cached_property
    def answers(self) -> Estimate:
        """What the reports tell of the queries."""
        named = self.ranges or self.estimate.named()
        return self.estimate.answers(named.queries).named(named.names)

    def document(self) -> dict[str, Any]:
        """Return the JSON document: the answers, and the shares of all items that the reports tell."""
        body = self.head(workload=self.estimate.oracle.workload.name)
        body["queries" if self.ranges is None else "ranges"] = self.answers.tabulate(self.level).entries()
        body["items"] = self.estimate.item_answers().tabulate(self.level).entries()
        return body | self.moment_entries()

    def picture(self, suffix: str) -> bytes:
        """Draw the shares of all items, where the reports tell them."""
        return FrequencyAnswers(self.estimate.frequencies, self.level).picture(suffix)

    def report_shares(self) -> None:
        """Print the answers, and which items have none."""
        found, answers = self.estimate, self.answers
        report_ranges(found, answers, self.level, "ranges" if self.ranges else "queries")
        if answers.least_errors is not None:
            count = int((answers.least_errors < answers.standard_errors).sum())
            console().print(f"of {count:,}, standard errors are the largest that the reports leave possible")
        missing = found.oracle.k - len(found.identified_items)
        if missing:
            console().print(f"the reports do not tell the shares of {missing:,} of {found.oracle.k:,} items")
