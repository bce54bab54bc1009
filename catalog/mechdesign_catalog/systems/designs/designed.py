"""Square mechanisms as frequency oracles: the output is reported, the inverse estimates."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mechdesign.counts.estimation.inversion import exact_inverse, rank
from mechdesign.designs import design
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.storage import read_mechanism
from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import WordSource
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.privacy import Privacy, require_privacy
from mechdesign.rational import integer_from_text, integer_text, nearest_float
from mechdesign_catalog.mechanisms.candidates import parse_candidate
from mechdesign_catalog.randomizers.choice import MatrixChoice, require_claim
from mechdesign_catalog.randomizers.facts.liars import WorstBias
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Column, Constants, State

MOST_ITEMS = 256
LARGEST_MATRIX = 1 << 20
"""Bits of all weights together: 65 items with 248-bit numbers, 200 with 26-bit ones; ten seconds to invert at most."""

LONGEST_TEXT = 4 * LARGEST_MATRIX


@dataclass(frozen=True)
class Designed(MatrixChoice):
    """The output of a mechanism P: item v is reported as i with `P[i,v]`.

    P is column-stochastic, k x k and invertible.

    With the shares s of the reports, which have the expectation `P f`,

        estimate   = P^-1 s, unbiased,
        variance_i = sum_v f_v B[i,v] / n,   B[i,v] = sum_r P^-1[i,r]^2 P[r,v] - [i = v]   for fixed items,

    both exact in rationals up to the last step. The approximate variance is the mean of `B[i,v] / n` over all pairs
    i != v: that of a rare item, where the mechanism favours none; items differ where it does. `alpha` is the
    smallest ratio in a row of P, whatever the mechanism was designed for; `privacy` is the claim, and checked.

    Of the optima without properties L0's is GRR and always invertible; those of L1 and L2 mostly are not.

    Args:
        matrix: JSON text, `{"denominator": "...", "weights": [["...", ...], ...]}`; `of` makes it from a mechanism.

    Raises:
        InputError: for a matrix that is not k x k, leaks more than it claims, or is singular, with its rank.

    >>> coin = Designed.of(Mechanism(((3, 1), (1, 3)), 4))
    >>> coin.alpha, coin.privacy, coin.estimate(State(coin.parameters, 4, np.array([3, 1]))).tolist()
    (Fraction(1, 3), Privacy(alpha='1/3'), [1.0, 0.0])
    """

    matrix: str
    name: ClassVar[str] = "designed"
    decoder: ClassVar[str] = "exact inverse of the matrix"
    time_class: ClassVar[str] = "N + k^2"
    rated: ClassVar[str] = "outputs"

    def __post_init__(self) -> None:
        super().__post_init__()
        mechanism = self.mechanism
        object.__setattr__(self, "matrix", _matrix_text(mechanism))
        if (mechanism.n_outputs, mechanism.n_inputs) != (self.k, self.k):
            shape = f"{mechanism.n_outputs} x {mechanism.n_inputs}"
            raise InputError(f"mechanism must be a matrix of {self.k} x {self.k}, got {shape}")
        require_claim(self.privacy, self.alpha, "mechanism")
        _ = self._inverse  # refuses a singular one

    @classmethod
    def of(cls, mechanism: Mechanism, privacy: Privacy | None = None) -> "Designed":
        """Make the oracle of this mechanism; what it claims is its own exact alpha, unless said otherwise."""
        claim = _claim(_local_alpha(mechanism)) if privacy is None else privacy
        return cls(mechanism.n_inputs, claim, _matrix_text(mechanism))

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism P."""
        return _parsed_matrix(self.matrix)

    @cached_property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used."""
        return _local_alpha(self.mechanism)

    def own_constants(self) -> Constants:
        """State the matrix."""
        weights = [[integer_text(weight) for weight in row] for row in self.mechanism.weights]
        return {"denominator": integer_text(self.mechanism.denominator), "weights": weights}

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return 8 * self.k + self.k**2 * 16

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw one report for each value."""
        return (self.mechanism.sample(values, words),)

    def estimate(self, state: State) -> Floats:
        """Estimate the share of the users for each item, unbiased."""
        counts, (rows, divisor) = self.counts_in(state), self._inverse
        shares = rows @ counts.astype(object)
        return np.array([nearest_float(Fraction(share, divisor * state.users)) for share in shares])

    def scores_of(self, weights: Floats) -> Floats:
        """Return `sum_i w_i P^-1[i,r]` for each output r, in floats from the exact inverse."""
        return weights @ self._inverse_floats

    def worst_bias(self, liars: Fraction) -> WorstBias:
        """Compute that of the entries of the inverse, which are the scores."""
        pull = max(max(max(row), 1 - min(row)) for row in self.inverse)
        return WorstBias(liars * pull, is_exact=True)

    @cached_property
    def inverse(self) -> tuple[tuple[Fraction, ...], ...]:
        """Inverse `P^-1[i,r]`, exactly: what a report r says of the item i."""
        rows, divisor = self._inverse
        return tuple(tuple(Fraction(entry, divisor) for entry in row) for row in rows)

    @cached_property
    def _inverse(self) -> tuple[NDArray[np.object_], int]:
        """Inverse `P^-1 = rows / divisor`, in whole numbers of any length."""
        found = exact_inverse(self.mechanism)
        if found is None:
            raise InputError(f"mechanism must be invertible, got rank {rank(self.mechanism)} of {self.k}")
        return np.array(found[0], dtype=object), found[1]

    @cached_property
    def _inverse_floats(self) -> Floats:
        """Inverse in the nearest floats."""
        rows, divisor = self._inverse
        return np.array([[nearest_float(Fraction(entry, divisor)) for entry in row] for row in rows])

    @cached_property
    def items_spread(self) -> Floats:
        """Matrix B: the variance of one report's estimates (rows) for each item that the user can have (columns)."""
        rows, divisor = self._inverse
        scale = divisor**2 * self.mechanism.denominator
        found = rows**2 @ np.array(self.mechanism.weights, dtype=object) - scale * np.identity(self.k, dtype=object)
        return np.array([[nearest_float(Fraction(entry, scale)) for entry in row] for row in found])


def designed_oracle(text: str, k: int, privacy: Privacy | None) -> Designed:
    """Make the oracle of `design:PROPS:LOSS`, designed for the local model on k items, or of a mechanism's file for k.

    Raises:
        InputError: for another text, or a mechanism that cannot serve: most optima of L1 and L2 are singular.

    >>> designed_oracle("design:none:L0", 3, Privacy(epsilon=1)).mechanism.fraction(0, 0) > Fraction(1, 2)
    True
    """
    candidate = parse_candidate(text)
    if candidate.path is not None:
        mechanism = read_mechanism(candidate.path)
        if mechanism.n_inputs != k:
            raise InputError(f"mechanism must have k = {k} items, got {mechanism.n_inputs} in {candidate.path}")
        return Designed.of(mechanism, privacy)
    if candidate.properties is None or candidate.loss is None:
        raise InputError(
            f"oracle must be design:PROPS:LOSS (design:none:L0) or a mechanism's file, got {shorten(text)}"
        )
    if k > MOST_ITEMS:
        raise InputError(
            f"k must be at most {MOST_ITEMS} for a design, got k={k}; the optimum of L0 is grr, at any size"
        )
    asked = require_privacy(privacy)
    problem = DesignProblem(model=Model.ldp(k), alpha=asked.alpha, properties=candidate.properties, loss=candidate.loss)
    try:
        return Designed.of(design(problem).mechanism, asked)
    except InputError as error:
        raise InputError(f"{error} for {shorten(text)}, k = {k}, {asked.describe()}") from None


def _local_alpha(mechanism: Mechanism) -> Fraction:
    """Compute the smallest ratio within a row."""
    alpha = tightest_alpha(mechanism.weights, NeighbourGraph.complete(mechanism.n_inputs)).alpha
    if alpha is None:
        raise InputError("mechanism must have a finite epsilon, got a zero beside a positive entry")
    return alpha


def _claim(alpha: Fraction) -> Privacy:
    """Claim alpha itself; a mechanism that loses nothing may claim anything, and is refused as singular."""
    return Privacy(alpha=alpha) if alpha < 1 else Privacy(epsilon=1)


def _matrix_text(mechanism: Mechanism) -> str:
    reduced = Mechanism.from_weights(mechanism.weights, mechanism.denominator)
    bits = reduced.denominator.bit_length()
    if reduced.n_inputs > MOST_ITEMS or reduced.n_outputs * reduced.n_inputs * bits > LARGEST_MATRIX:
        raise InputError(
            f"mechanism must have at most {MOST_ITEMS} items and {LARGEST_MATRIX} bits, to be inverted exactly, got "
            f"{reduced.n_outputs} x {reduced.n_inputs} weights of {bits} bits; the optimum of L0 is grr, at any size"
        )
    weights = [[integer_text(weight) for weight in row] for row in reduced.weights]
    text = {"denominator": integer_text(reduced.denominator), "weights": weights}
    return json.dumps(text, separators=(",", ":"))


def _parsed_matrix(text: object) -> Mechanism:
    """Parse the mechanism in the text; for anything else the error is one line."""
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise InputError(f"matrix must be a JSON text of at most {LONGEST_TEXT} letters, got {shorten(text)}")
    data: Any = parse_json(text, "the parameters of designed")
    if not isinstance(data, dict) or set(data) != {"denominator", "weights"} or not isinstance(data["weights"], list):
        raise InputError(f"matrix must have a denominator and weights, got {shorten(text)}")
    rows = data["weights"]
    if not all(isinstance(row, list) for row in rows):
        raise InputError(f"weights must be rows of integers written as strings, got {shorten(text)}")
    weights = tuple(tuple(integer_from_text(weight, "weights") for weight in row) for row in rows)
    return Mechanism(weights, integer_from_text(data["denominator"], "denominator"))
