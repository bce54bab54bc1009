"""Compute the information of a report about several attributes, on their tuples."""

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from mechdesign_catalog.information.of_items import Information, information, of_coefficients, of_law, of_nodes
from mechdesign_catalog.information.of_sets import Counts
from mechdesign_catalog.marginals.fourier.fourier_oracle import FourierOracle
from mechdesign_catalog.marginals.inputs.inpem import InpEm
from mechdesign_catalog.marginals.inputs.joint_oracle import JointOracle
from mechdesign_catalog.marginals.sampling.sampled_tables import SampledTables
from mechdesign_catalog.marginals.sampling.signs import SignOracle
from mechdesign_catalog.multidimensional.marginal_oracle import MarginalOracle
from mechdesign_catalog.multidimensional.smp import Smp
from mechdesign_catalog.multidimensional.spl import Spl
from mechdesign_catalog.multidimensional.tables import Domains, Subset
from mechdesign_catalog.oracles.oracle import Values
from mechdesign_catalog.oracles.probabilities import Floats


def tuple_information(oracle: MarginalOracle) -> Information:
    """Compute the information of a report on equally frequent tuples, the last attribute changing fastest.

    Users who share out over tables, attributes or coefficients add up the information of these, by their chances; that
    of attributes which are reported independently of each other is the Kronecker product of theirs.

    Raises:
        InputError: where it takes a list of too many reports.
    """
    if isinstance(oracle, JointOracle):
        return information(oracle.flat)
    for kind, of_kind in KINDS.items():
        if isinstance(oracle, kind):
            return Information(of_kind(oracle), is_exact=True)
    return Information(of_law(oracle.report_law(), _alike(oracle)), is_exact=True)


class OfAttributes(Protocol):
    """An oracle on tuples of so many items each."""

    @property
    def domains(self) -> Domains:
        """Number of items of each attribute."""


def _alike(oracle: OfAttributes) -> Counts:
    return np.ones(math.prod(oracle.domains), dtype=np.int64)


def _tuples(oracle: OfAttributes) -> Values:
    """The items of all tuples, shape (k, d)."""
    return np.indices(oracle.domains).reshape(len(oracle.domains), -1).T


def _cells(oracle: OfAttributes, subset: Subset) -> Values:
    """The cell of each tuple in the table of some attributes."""
    chosen = _tuples(oracle)[:, list(subset)]
    cells: Values = np.ravel_multi_index(tuple(chosen.T), tuple(oracle.domains[i] for i in subset))
    return cells


def _of_tables(oracle: SampledTables) -> Floats:
    found = np.zeros((len(_alike(oracle)),) * 2)
    for chance, subset, of_table in zip(oracle.branch_chances, oracle.sets, oracle.oracles, strict=True):
        found += float(chance) * of_nodes(of_table, _cells(oracle, subset), _alike(oracle))
    return found


def _of_sampled_attributes(oracle: Smp) -> Floats:
    parts = [of_nodes(kind, _cells(oracle, (i,)), _alike(oracle)) for i, kind in enumerate(oracle.oracles)]
    return np.asarray(sum(parts) / len(parts))


def _of_split_attributes(oracle: Spl) -> Floats:
    return _product([information(kind).matrix for kind in oracle.oracles])


def _of_bits(oracle: InpEm) -> Floats:
    signs, alone = np.array([[1.0, -1.0]]), np.ones(2, dtype=np.int64)
    return _product([of_coefficients(signs, np.ones(1), oracle.root, alone)] * len(oracle.domains))


def _product(matrices: Sequence[Floats]) -> Floats:
    found: Floats = np.ones((1, 1))
    for matrix in matrices:
        found = np.asarray(np.kron(found, matrix), dtype=np.float64)
    return found


def _of_signs(oracle: SignOracle) -> Floats:
    tuples, branches = _tuples(oracle), oracle.branches
    negative = [oracle.negative(np.full(len(tuples), branch), tuples) for branch in range(branches)]
    chances = np.array([float(chance) for chance in oracle.branch_chances])
    return of_coefficients(1.0 - 2.0 * np.array(negative, dtype=np.float64), chances, oracle.alpha, _alike(oracle))


def _of_functions(oracle: FourierOracle) -> Floats:
    """Write down the products of functions, one of each attribute of a support."""
    tuples, values, chances = _tuples(oracle), [], []
    for chance, support in zip(oracle.branch_chances, oracle.supports.all, strict=True):
        products, drawn = np.ones((1, len(tuples))), np.full(1, float(chance))
        for i in support:
            functions = oracle.functions[i]
            products = (products[:, None] * functions.values[:, tuples[:, i]]).reshape(-1, len(tuples))
            drawn = np.outer(drawn, functions.chances).reshape(-1)
        values.append(products)
        chances.append(drawn)
    return of_coefficients(np.concatenate(values), np.concatenate(chances), oracle.alpha, _alike(oracle))


KINDS: dict[type, Callable[..., Floats]] = {
    SampledTables: _of_tables,
    Smp: _of_sampled_attributes,
    Spl: _of_split_attributes,
    InpEm: _of_bits,
    SignOracle: _of_signs,
    FourierOracle: _of_functions,
}
"""What computes the information of each kind of oracle."""
