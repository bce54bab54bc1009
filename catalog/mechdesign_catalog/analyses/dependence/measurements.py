"""Noisy measurements for inference by graphical models (mbi, Private-PGM)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.analyses.dependence.interactions import as_unbiased, helmert, unit_directions
from mechdesign_catalog.decoders.tables.subsets import Subset, subsets_of
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.tables.estimates import TableSource

if TYPE_CHECKING:
    import mbi


@dataclass(frozen=True, eq=False)
class Measurement:
    """Numbers told of a table with independent noise of variance 1: `values = weights @ shares + noise`.

    Attributes:
        subset: the attributes of the table.
        weights: shape (numbers, cells).
        values: shape (numbers,).
    """

    subset: Subset
    weights: Floats
    values: Floats


def component_measurements(source: TableSource, subsets: Sequence[Subset] | None = None) -> list[Measurement]:
    """Measure what each table tells beyond smaller ones, in numbers with noise of variance 1.

    Tables that overlap tell the same thing several times, and their cells covary: as measurements with independent
    noise they would count it several times. So of each subset of attributes only its component is measured, in the
    products of Helmert's contrasts of its attributes, `prod (r_i - 1)` of them; a last linear map makes their exact
    covariance the unit matrix. Between subsets noise is uncorrelated for oracles of noise that is the same for all
    cells, but for terms that the shares themselves make.

    Args:
        source: unbiased tables, by least squares or raw.
        subsets: all of 1 to `way` attributes by default.

    Raises:
        InputError: for biased tables.
    """
    as_unbiased(source, "measurements")
    d = len(source.domains)
    asked = [s for way in range(1, source.way + 1) for s in subsets_of(d, way)] if subsets is None else list(subsets)
    found = []
    for subset, table in zip(asked, source.tables(asked), strict=True):
        contrasts: Floats = np.ones((1, 1))
        for i in subset:
            contrasts = np.asarray(np.kron(contrasts, helmert(source.domains[i])))
        weights = unit_directions(contrasts @ table.covariance() @ contrasts.T) @ contrasts
        found.append(Measurement(subset, weights, weights @ table.shares))
    return found


@dataclass(frozen=True, eq=False)
class CountQuery:
    """The weights of a table's cell counts, as mbi needs them.

    Each query is equal to itself only.
    """

    weights: Floats

    def __call__(self, factor: Any) -> Any:
        """Return the weighted sums of a factor's cells."""
        return self.weights @ factor.datavector()

    def op_norm_sq(self) -> float:
        """Return the square of the largest singular value, from which mbi takes its steps."""
        return float(np.linalg.norm(self.weights, 2) ** 2)


def mbi_measurements(
    source: TableSource, names: Sequence[str]
) -> "tuple[mbi.Domain, list[mbi.LinearMeasurement], int]":
    """Make the domain, the measurements and the number of users that the estimators of mbi take.

    They go into `estimator.estimate(domain, measurements, known_total=users)`, which finds a joint law of all
    attributes near all of them (McKenna, Sheldon, Miklau, *Graphical-model based estimation and inference for
    differential privacy*, ICML 2019). Measurements are `component_measurements`, of counts, with standard deviation 1.
    All of this is post-processing.

    Args:
        source: unbiased tables.
        names: of the attributes.

    Raises:
        InputError: for biased tables, another number of names, or where mbi is not installed.
    """
    if len(names) != len(source.domains):
        raise InputError(f"names must be {len(source.domains)}, one for each attribute, got {len(names)}")
    try:
        import mbi
    except ImportError:
        raise InputError(
            'measurements for mbi need the package mbi, which is not installed; run pip install "mechdesign[mbi]"'
        ) from None
    measured = [
        mbi.LinearMeasurement(
            noisy_measurement=one.values,
            clique=tuple(names[i] for i in one.subset),
            stddev=1.0,
            query=CountQuery(one.weights / source.users),
        )
        for one in component_measurements(source)
    ]
    return mbi.Domain(tuple(names), source.domains), measured, source.users
