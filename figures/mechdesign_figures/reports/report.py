"""The contents of a report on a design: facts, words, landmarks, prices, errors on data.

Prices and errors are there on request.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mechdesign.arguments import checked
from mechdesign.audits.reading import proved_design
from mechdesign.certificate.stages import Stage
from mechdesign.designs import Design
from mechdesign.documents.document import exact_entry, problem_entry
from mechdesign.documents.files import FilePath
from mechdesign.documents.storage import read_stored
from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.pages.words import certificate_sentences, problem_sentences, score_meaning
from mechdesign.problem.privacy import loss_above
from mechdesign.problem.properties import LATTICE, closure, find_property, ordered
from mechdesign.sweeps.landscape import Landscape, landscape, landscape_document
from mechdesign.sweeps.subset_designs import with_properties
from mechdesign.version import __version__
from mechdesign_catalog.comparisons.of_mechanisms import (
    METRICS,
    REPETITIONS,
    MechanismComparison,
    MechanismRow,
    measure_mechanisms,
)
from mechdesign_catalog.datasets.counts.grouped import DataSet, GroupedCounts
from mechdesign_catalog.datasets.counts.opening import open_data
from mechdesign_catalog.mechanisms.landmarks import LANDMARKS, LandmarkComparison, class_names, compare_with_landmarks
from mechdesign_figures.reports.promise import privacy_words_of

THIS = "this design"
"""How a report calls the design among other mechanisms."""


@dataclass(frozen=True)
class DesignReport:
    """A design whose document was proved again, and what a report says beside it.

    Attributes:
        design: the design.
        name: what the report is called, such as the name of its file.
        prices: the best score under every subset of the properties, else None.
        errors: errors of the design and of the landmarks on data; empty where no data were named.
        grouped: the data on which those errors were measured.
    """

    design: Design
    name: str = "design"
    prices: Landscape | None = None
    errors: Sequence[MechanismRow] = ()
    grouped: tuple[GroupedCounts, ...] = ()

    @cached_property
    def landmarks(self) -> list[LandmarkComparison]:
        """Where the design stands among the named mechanisms of its model."""
        return compare_with_landmarks(self.design)

    @cached_property
    def problem_words(self) -> list[str]:
        """What was asked for, in sentences."""
        return problem_sentences(self.design.problem)

    @cached_property
    def certificate_words(self) -> list[str]:
        """What is proved, in sentences."""
        return certificate_sentences(self.design)

    @cached_property
    def privacy_words(self) -> list[str]:
        """What a release through the mechanism promises, in sentences."""
        return privacy_words_of(self.design.problem)

    @cached_property
    def own_class(self) -> int | None:
        """The class of the prices in which the design's own properties are; None where they have none."""
        asked = self.design.problem.properties
        if self.prices is None or not asked <= set(LATTICE):
            return None
        return self.prices.class_of(asked)

    @property
    def data_words(self) -> str:
        """On what the errors were measured."""
        return "; ".join(f"{one.source}: {one.groups:,} groups of n = {one.n}" for one in self.grouped)

    def __repr__(self) -> str:
        return f"<DesignReport: {self.name}, {self.design.problem.describe()}>"

    def entries(self) -> dict[str, Any]:
        """Return the report as an object of JSON."""
        design = self.design
        seconds = design.seconds
        return {
            "name": self.name,
            "asked": design.problem.describe(),
            "problem": problem_entry(design.problem),
            "epsilon": loss_above(design.problem.alpha),
            "score": exact_entry(design.score),
            "meaning": score_meaning(design.problem, design.score),
            "lower_bound": exact_entry(design.lower_bound),
            "gap": exact_entry(design.gap),
            "status": design.status,
            "optimality": design.optimality,
            **({"then": [self._stage_entry(stage) for stage in design.stages]} if design.stages else {}),
            "is_exact_for_alpha": design.at_alpha.status == "exact",
            "method": design.method,
            "how": design.how,
            "seconds": {"solve": seconds.solve, "certify": seconds.certify, "verify": seconds.verify},
            "ignores_input": design.mechanism.ignores_input,
            "properties": self._property_entries(),
            "landmarks": [
                {
                    "name": one.name,
                    "title": one.title,
                    "score": exact_entry(one.score),
                    "meaning": score_meaning(design.problem, one.score),
                    "text": one.text,
                    "lacks": one.lacks,
                    "remark": one.remark,
                }
                for one in self.landmarks
            ],
            "words": {
                "problem": self.problem_words,
                "certificate": self.certificate_words,
                "privacy": self.privacy_words,
            },
            "prices": None if self.prices is None else landscape_document(self.prices, class_names(self.prices)),
            "errors": {"data": self.data_words, "rows": [row.entry() for row in self.errors]} if self.errors else None,
            "version": __version__,
        }

    def _stage_entry(self, stage: Stage) -> dict[str, Any]:
        """Return a further respect, in words, with its score."""
        return {
            "asked": stage.problem.aim,
            "score": exact_entry(stage.score),
            "lower_bound": exact_entry(stage.lower_bound),
            "optimality": stage.optimality,
        }

    def _property_entries(self) -> list[dict[str, Any]]:
        asked = self.design.problem.properties
        return [
            {
                "name": name,
                "title": find_property(name).title,
                "statement": find_property(name).statement,
                "asked": name in asked,
                "implied": name in closure(asked - {name}),
                "holds": name in self.design.holds,
            }
            for name in ordered({*LATTICE, *asked})
        ]


@checked
def report_design(
    source: Design | FilePath,
    *,
    name: str | None = None,
    prices: bool = False,
    data: DataSet | str | None = None,
    metrics: str = METRICS,
    repetitions: int = REPETITIONS,
    seed: int | None = None,
) -> DesignReport:
    """Report on a design: what was asked and is proved, where it stands, what properties cost, errors on data.

    Args:
        source: a design, or the file of its document (`.json`, `.npz`), which is proved again.
        name: what the report is called; by default the name of the file.
        prices: whether to find the best score under every subset of the properties, which takes a solve for many.
        data: a data set of counts, or its name as `open_data` takes it, on which the design and the landmarks of its
            model are measured.
        metrics: of errors, as `compare_mechanisms` takes them.
        repetitions: simulated releases of each mechanism.
        seed: makes the simulated releases reproducible.

    Raises:
        InputError: for a file that is unusable, or data with a design that is not for counts.
        RefusedError: naming the first claim of a document that is false.

    >>> from mechdesign import DesignProblem, design
    >>> report_design(design(DesignProblem(n=8, alpha="0.9"))).landmarks[0].name
    'GM'
    """
    design = source if isinstance(source, Design) else proved_design(read_stored(source), source)
    called = name or ("design" if isinstance(source, Design) else Path(source).name)
    found = landscape(with_properties(design.problem, ())) if prices else None
    if data is None:
        return DesignReport(design, called, found)
    opened = open_data(data, seed=seed) if isinstance(data, str) else data
    comparison = error_comparison(design, opened, metrics, repetitions)
    rows = measure_mechanisms(comparison, None if seed is None else seeded_words(seed))
    return DesignReport(design, called, found, rows, comparison.grouped)


def error_comparison(design: Design, data: DataSet, metrics: str, repetitions: int) -> MechanismComparison:
    """State how a design for counts and the landmarks of its model are measured on data.

    Raises:
        InputError: for another model, an unknown metric, or data that cannot be grouped by the design's n.
    """
    if design.problem.model.name != "count":
        raise InputError(f"data go with a design for counts, got one for {design.problem.model.describe()}")
    return MechanismComparison.of(
        data,
        {THIS: design, **{name: name for name in LANDMARKS["count"]}},
        n=design.problem.n,
        alpha=design.problem.alpha,
        metrics=metrics,
        repetitions=repetitions,
    )
