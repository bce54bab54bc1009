"""Nested masks: a cell, and a bucket of the labels inside it, the oracle of a fine level at a large epsilon."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource
from mechdesign.rational import fraction_text
from mechdesign_catalog.randomizers.facts.liars import WorstBias
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.facts.rates import AnyRates, Rates
from mechdesign_catalog.randomizers.kernels.draws import bernoulli, uniform_below
from mechdesign_catalog.randomizers.oracle import Values, require_few
from mechdesign_catalog.randomizers.reports.probabilities import Floats, Support
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import Column, Constants, ReportLaw, State
from mechdesign_catalog.systems.levels.masked_labels import MaskedLabels, bucket_of


@dataclass(frozen=True)
class NestedMasks(MaskedLabels):
    """A cell, and a bucket of its labels by masks (`MaskedLabels`): items are `cells` times `2^t` labels.

    The item v is the label `v mod 2^t` of the cell `v // 2^t`. A report names a cell, and holds a share s of its labels
    and none of others. One that holds the own label is 1/alpha times as likely as another one, so the own cell is named
    `E = 1 + (1/alpha - 1) s` times as often as each other one. A report holds a part `s / cells` of all items: the
    cells tell as much as they can at a large epsilon, when few items may be held, and so do the labels.

    Raises:
        InputError: for items that are not two cells at least, each of a power of two of labels, two at least.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = NestedMasks(3 * 256, Privacy(epsilon=2), cells=3)
    >>> oracle.bucket_bits, oracle.below
    (3, 3)
    """

    cells: int
    name: ClassVar[str] = "nested-masks"
    decoder: ClassVar[str] = "inverse, for cells and labels"
    score_is_reached: ClassVar[bool] = False
    information_is_exact: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        labels = self.k // max(1, self.cells)
        if self.cells < 2 or self.k % self.cells or labels < 2 or labels & (labels - 1):
            raise InputError(f"cells must part k={self.k} into powers of two, two cells at least, got {self.cells}")

    @property
    def labels(self) -> int:
        """Number `2^t` of labels of a cell."""
        return self.k // self.cells

    @property
    def groups(self) -> int:
        """Number of cells."""
        return self.cells

    @property
    def sharing(self) -> int:
        """Number of cells, of which a report holds labels of one."""
        return self.cells

    @cached_property
    def label_bits(self) -> int:
        """Number t of bits of a label."""
        return (self.labels - 1).bit_length()

    @cached_property
    def odds(self) -> Fraction:
        """How many times as likely the own cell is named as each other one, E."""
        return 1 + (1 / self.alpha - 1) * self.share

    @cached_property
    def named_chance(self) -> Fraction:
        """Chance that the own cell is named."""
        return self.odds / (self.odds + self.cells - 1)

    @cached_property
    def wide(self) -> Moments:
        """Second moments of the scores of the cells, from which of them is named."""
        support = Support(self.named_chance, self.named_chance / self.odds)
        return Moments.of(support, both=Fraction(0), with_own=Fraction(0))

    @property
    def held(self) -> tuple[Fraction, Fraction, Fraction]:
        """Chances that a report holds a label of another cell, another one of the own cell, and the own one."""
        named = self.named_chance
        return named / self.odds * self.share, named * self.other_chance, named * self.own_chance

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: the cell, the masks, and the bucket."""
        masks = Numbers("masks", 1 << self.label_bits, count=self.bucket_bits, first=1, independent=True)
        return ReportSchema((Numbers("cell", self.cells), masks, Numbers("bucket", self.buckets)))

    def own_constants(self) -> Constants:
        """State cells, labels, masks, the buckets that a report holds, and the chances of the own cell and label."""
        return {
            "cells": self.cells,
            "label_bits": self.label_bits,
            "masks": self.bucket_bits,
            "below": self.below,
            "named": fraction_text(self.named_chance),
            "held": fraction_text(self.own_chance),
        }

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw the cell and masks; then a bucket, by the own label if the own cell is named, else any."""
        own, count = values >> self.label_bits, len(values)
        named = bernoulli(self.named_chance, count, words)
        others = uniform_below(self.cells - 1, count, words)
        cell = np.where(named, own, others + (others >= own))
        masks = self.draw_masks(count, words)
        hearing = self.draw_buckets(values & (self.labels - 1), masks, words)
        return cell, masks, np.where(named, hearing, uniform_below(self.buckets, count, words))

    def supports(self, state: State) -> Values:
        """Count the reports that hold each item, shape (k,).

        Raises:
            InputError: for a state with another number of sums.
        """
        return np.ascontiguousarray(self.held_labels(state).T).reshape(-1)

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the items that reports hold."""
        low, _, high = self.held
        yield Rates.of("items", self.supports(state), state.users, float(low), float(high))

    def estimate(self, state: State) -> Floats:
        """Estimate the share of each item, shape (k,), unbiased.

        A report holds an item of the share x in a cell of the share C with the chance `p x + q (C - x) + o (1 - C)`,
        `held` being (o, q, p).
        """
        other, same, own = map(float, self.held)
        told = self.supports(self.checked_state(state)).reshape(self.cells, -1) / state.users - other
        cells = told.sum(axis=1, keepdims=True) / (own - same + self.labels * (same - other))
        found: Floats = (told - (same - other) * cells) / (own - same)
        return found.reshape(-1)

    @property
    def n_estimates(self) -> int:
        """How many numbers `estimate` has: one for each item."""
        return self.k

    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest weighted sum of a report's scores of all items, or an upper bound; shape (q,).

        It is that over all sets of so many labels of a cell; not each of them is a report.
        """
        other, same, own = map(float, self.held)
        rows = weights.reshape(len(weights), self.cells, self.labels)
        sums = rows.sum(axis=2)
        pull = (same - other) / (own - same + self.labels * (same - other))
        best = -np.sort(-rows, axis=2)[:, :, : self.chosen].sum(axis=2) - self.chosen * pull * sums
        known = other * (1 - pull * self.labels) * sums.sum(axis=1)
        found: Floats = (best.max(axis=1) - known) / (own - same)
        return found

    def information_at(self, counts: Values) -> Floats:
        """Compute the information of a report where items have shares in proportion to these numbers.

        All sets of a cell are taken to be as likely, which they nearly are where its labels have equal shares.
        """
        shares = counts.reshape(self.cells, self.labels).sum(axis=1) / counts.sum()
        extra, share = float(1 / self.alpha - 1), float(self.share)
        inside = np.full((self.labels,) * 2, float(self.apart))
        np.fill_diagonal(inside, share)
        found = np.zeros((self.k, self.k))
        for cell, of_cell in enumerate(shares):
            own = np.zeros(self.k)
            own[cell * self.labels : (cell + 1) * self.labels] = 1.0
            both = 1 + extra * share * (own[:, None] + own)
            part = slice(cell * self.labels, (cell + 1) * self.labels)
            both[part, part] += extra**2 * inside
            found += both / (1 + extra * share * of_cell)
        return found / (self.cells + extra * share)

    def worst_bias(self, liars: Fraction) -> WorstBias:
        """Compute the largest bias of an item's share: of liars whose reports all hold it."""
        weights = np.eye(1, self.k)
        return WorstBias(liars * Fraction(float(self.highest_scores(weights)[0])), is_exact=False)

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every item; for few labels."""
        masks = list(self.every_mask())
        require_few(self.cells * len(masks) * self.buckets * self.k, self.name)
        rest = self.named_chance / self.odds / self.buckets / len(masks)
        law: ReportLaw = {}
        for cell, chosen, bucket in itertools.product(range(self.cells), masks, range(self.buckets)):
            held = [bucket_of(chosen, label) ^ bucket < self.below for label in range(self.labels)]
            rows = [held if own == cell else [False] * self.labels for own in range(self.cells)]
            law[cell, *chosen, bucket] = tuple(rest / self.alpha if one else rest for row in rows for one in row)
        return law
