"""Estimate tables of attributes exactly from reports: the plain specification of each oracle's raw tables.

A table is estimated for each set of `way` attributes, in lexicographic order; of SPL, SMP and RS+FD for each attribute.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from mechdesign.errors import NoAnswerError
from mechdesign_catalog.marginals.decomposition import cell_precision
from mechdesign_catalog.marginals.fourier.fourier_oracle import FourierOracle
from mechdesign_catalog.marginals.fourier.functions import Functions
from mechdesign_catalog.marginals.fourier.inpes import Inpes
from mechdesign_catalog.marginals.fourier.inpht import Inpht
from mechdesign_catalog.marginals.inputs.inpem import InpEm
from mechdesign_catalog.marginals.inputs.input_sketch import InpHtCms
from mechdesign_catalog.marginals.inputs.joint_kinds import InpOlh, InpPs, InpRrOue, InpRrSue
from mechdesign_catalog.marginals.inputs.joint_oracle import JointOracle
from mechdesign_catalog.marginals.sampling.all_tables import Margps, Margrr, MargrrSue
from mechdesign_catalog.marginals.sampling.calm import Calm
from mechdesign_catalog.marginals.sampling.marght import Marght
from mechdesign_catalog.marginals.sampling.sampled_tables import SampledTables
from mechdesign_catalog.multidimensional.fakes import FakedGrr
from mechdesign_catalog.multidimensional.rsfd import RsFd
from mechdesign_catalog.multidimensional.smp import Smp
from mechdesign_catalog.multidimensional.spl import Spl
from mechdesign_catalog.multidimensional.tables import Domains, Subset
from mechdesign_catalog.oracles.probabilities import flip
from mechdesign_catalog.reference.rows import Row, parity, read_row, unpacked_bits
from mechdesign_catalog.reference.servers.least_squares import inverse
from mechdesign_catalog.reference.servers.scores import FLAT_SCORES, Scores, mean_scores, score_supports

Tables = list[Scores]

Coefficient = tuple[tuple[int, int], ...]
"""Attributes, each with the number of a function of it, from 1."""


def exact_tables(oracle: Any, rows: Sequence[Row]) -> Tables:
    """Estimate the raw tables, unbiased, as exact rationals.

    Raises:
        NoAnswerError: for a table that no user reported about.
    """
    return TABLES[type(oracle)](oracle, rows)


def _tables_spl(oracle: Spl, rows: Sequence[Row]) -> Tables:
    """Score each attribute's items by its own oracle."""
    return [
        mean_scores([FLAT_SCORES[type(kind)](kind, _columns(row, number)) for row in rows])
        for number, kind in enumerate(oracle.oracles, start=1)
    ]


def _tables_rsfd(oracle: RsFd, rows: Sequence[Row]) -> Tables:
    """Score each attribute's items by the chances p and q of support over the draw of the real attribute as well."""
    tables = []
    for number, kind in enumerate(oracle.faked, start=1):
        told = [_columns(row, number) for row in rows]
        if isinstance(kind, FakedGrr):
            supports = [[int(item == row["item"]) for item in range(kind.k)] for row in told]
        else:
            supports = [unpacked_bits(row["bits"], kind.k) for row in told]
        tables.append(mean_scores([score_supports(of_row, kind.mixed) for of_row in supports]))
    return tables


def _columns(row: Row, number: int) -> Row:
    """Return the columns of one attribute, by the names that its oracle has for them."""
    end = f"_{number}"
    return {name.removesuffix(end): cell for name, cell in row.items() if name.endswith(end)}


def _tables_smp(oracle: Smp, rows: Sequence[Row]) -> Tables:
    """Score each attribute's items by its own oracle, over the users who reported it."""
    return [_mean_of_told(oracle.oracles[j], rows, "attribute", j) for j in range(len(oracle.domains))]


def _mean_of_told(kind: Any, rows: Sequence[Row], column: str, number: int) -> Scores:
    own = [FLAT_SCORES[type(kind)](kind, read_row(kind.wire, row["report"])) for row in rows if row[column] == number]
    if not own:
        raise NoAnswerError(f"{column} {number} must have a report, got none")
    return mean_scores(own)


def _tables_joint(oracle: JointOracle, rows: Sequence[Row]) -> Tables:
    """Add up the estimated shares of all combinations of items that are in a cell."""
    joint = mean_scores([FLAT_SCORES[type(oracle.flat)](oracle.flat, row) for row in rows])
    everything = tuple(range(len(oracle.domains)))
    return [_summed(joint, oracle.domains, everything, subset) for subset in oracle.subsets]


def _summed(table: Scores, domains: Domains, whole: Subset, part: Subset) -> Scores:
    """Sum a table of some attributes to that of a part of them."""
    cells: dict[tuple[int, ...], Fraction] = {}
    for items, share in zip(_cells(domains, whole), table, strict=True):
        cell = tuple(item for i, item in zip(whole, items, strict=True) if i in part)
        cells[cell] = cells.get(cell, Fraction(0)) + share
    return [cells[cell] for cell in _cells(domains, part)]


def _cells(domains: Domains, subset: Subset) -> list[tuple[int, ...]]:
    """List the items of each cell of a table, the last attribute changing fastest."""
    return list(product(*(range(domains[i]) for i in subset)))


def _tables_sampled(oracle: SampledTables, rows: Sequence[Row]) -> Tables:
    """Average each table over the sets that have all of its attributes.

    A set weighs the number of its users, times the precision of a report of its oracle (`cell_precision`), over the
    number of its cells.
    """
    counts = [sum(row["set"] == number for row in rows) for number in range(len(oracle.sets))]
    found = []
    for subset in oracle.subsets:
        parts, weights = [], []
        for number, (own, kind) in enumerate(zip(oracle.sets, oracle.oracles, strict=True)):
            if counts[number] and set(subset) <= set(own):
                table = _mean_of_told(kind, rows, "set", number)
                parts.append(_summed(table, oracle.domains, own, subset))
                weights.append(counts[number] * cell_precision(kind.moments, kind.k) / kind.k)
        if not parts:
            raise NoAnswerError(f"the table of attributes {subset} must have a report, got none")
        found.append([_weighted_mean(weights, of_cell) for of_cell in zip(*parts, strict=True)])
    return found


def _weighted_mean(weights: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    return sum((weight * value for weight, value in zip(weights, values, strict=True)), Fraction(0)) / sum(weights)


def _tables_marght(oracle: Marght, rows: Sequence[Row]) -> Tables:
    """Turn the mean signs of each table's coefficients back: `C(c) = 2^-k sum_a (-1)^<a, c> theta_a`, theta_0 = 1."""
    found = []
    size = 1 << oracle.way
    for table in range(len(oracle.subsets)):
        coefficients = [Fraction(1)]
        for number in range(oracle.unknown):
            signs = [1 - 2 * row["bit"] for row in rows if row["coefficient"] == table * oracle.unknown + number]
            if not signs:
                raise NoAnswerError(f"coefficient {number + 1} of table {table + 1} must have a report, got none")
            coefficients.append(oracle.scale * Fraction(sum(signs), len(signs)))
        found.append(
            [
                sum(((-1) ** parity(a & cell) * theta for a, theta in enumerate(coefficients)), Fraction(0)) / size
                for cell in range(size)
            ]
        )
    return found


def _tables_turned(oracle: InpEm, rows: Sequence[Row]) -> Tables:
    """Score a cell by the product over its attributes of `(1[bit = item] - t) / (1 - 2 t)`, t the chance of turning."""
    turned = flip(oracle.root)
    bits = [unpacked_bits(row["bits"], len(oracle.domains)) for row in rows]

    def score(own: Sequence[int], subset: Subset, cell: Sequence[int]) -> Fraction:
        found = Fraction(1)
        for i, item in zip(subset, cell, strict=True):
            found *= ((own[i] == item) - turned) / (1 - 2 * turned)
        return found

    return [
        mean_scores([[score(own, subset, cell) for cell in _cells(oracle.domains, subset)] for own in bits])
        for subset in oracle.subsets
    ]


def _tables_products(oracle: FourierOracle, rows: Sequence[Row]) -> Tables:
    """Invert each attribute's functions, and the constant, on the mean signs of all coefficients of a table.

    A coefficient's mean is the sum of its signs times `(1+alpha)/(1-alpha)`, over the users of its set and the chance
    of its functions.
    """
    means = _means(oracle, rows)
    decoded = [_decoding(functions) for functions in oracle.functions]
    found = []
    for subset in oracle.subsets:
        shares = []
        for cell in _cells(oracle.domains, subset):
            share = Fraction(0)
            for chosen in product(*(range(oracle.functions[i].count + 1) for i in subset)):
                term = means[tuple((i, number) for i, number in zip(subset, chosen, strict=True) if number)]
                for i, item, number in zip(subset, cell, chosen, strict=True):
                    term *= decoded[i][item][number]
                share += term
            shares.append(share)
        found.append(shares)
    return found


def _means(oracle: FourierOracle, rows: Sequence[Row]) -> dict[Coefficient, Fraction]:
    """Estimate the mean of each coefficient; that of no attribute is 1."""
    scale = (1 + oracle.alpha) / (1 - oracle.alpha)
    users = [0] * len(oracle.supports.all)
    signs = [0] * oracle.supports.coefficients
    starts = oracle.supports.starts.tolist()
    for row in rows:
        coefficient, minus = divmod(row["report"], 2)
        signs[coefficient] += 1 - 2 * minus
        users[sum(start <= coefficient for start in starts) - 1] += 1
    means: dict[Coefficient, Fraction] = {(): Fraction(1)}
    for branch, support in enumerate(oracle.supports.all):
        if not users[branch]:
            raise NoAnswerError(f"set {branch + 1} of attributes must have a report, got none")
        choices = product(*(range(oracle.functions[i].count) for i in support))
        for place, chosen in enumerate(choices):
            mean = scale * Fraction(signs[starts[branch] + place], users[branch])
            for i, number in zip(support, chosen, strict=True):
                weights = oracle.functions[i].weights
                mean /= Fraction(weights[number], sum(weights))
            means[tuple((i, number + 1) for i, number in zip(support, chosen, strict=True))] = mean
    return means


def _decoding(functions: Functions) -> list[Scores]:
    """Return for each item what the means of the constant and of the functions count in its share.

    That is the inverse of the matrix of the constant and the functions; of `2^b - 1` signs of fewer items than `2^b`,
    whose codes without an item have no users, the signs over `2^b`.
    """
    items = functions.numerators.shape[1]
    rows = [[Fraction(1)] * items] + [
        [Fraction(int(value), functions.denominator) for value in row] for row in functions.numerators
    ]
    if len(rows) == items:
        return inverse(rows)
    return [[row[item] / len(rows) for row in rows] for item in range(items)]


TABLES: dict[type, Callable[[Any, Sequence[Row]], Tables]] = {
    Spl: _tables_spl,
    Smp: _tables_smp,
    RsFd: _tables_rsfd,
    InpRrSue: _tables_joint,
    InpRrOue: _tables_joint,
    InpPs: _tables_joint,
    InpOlh: _tables_joint,
    InpHtCms: _tables_joint,
    InpEm: _tables_turned,
    MargrrSue: _tables_sampled,
    Margrr: _tables_sampled,
    Margps: _tables_sampled,
    Calm: _tables_sampled,
    Marght: _tables_marght,
    Inpht: _tables_products,
    Inpes: _tables_products,
}
