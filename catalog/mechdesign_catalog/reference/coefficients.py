"""Make reports of users who tell a sign of the own tuple: a coefficient of it, or, for INPEM, each of its bits."""

from fractions import Fraction

from mechdesign_catalog.marginals.fourier.fourier_oracle import FourierOracle
from mechdesign_catalog.marginals.inputs.inpem import InpEm
from mechdesign_catalog.marginals.sampling.marght import Marght
from mechdesign_catalog.oracles.probabilities import flip
from mechdesign_catalog.reference.byte_stream import Draws
from mechdesign_catalog.reference.rows import Row, packed_bits, parity

Items = tuple[int, ...]


def report_turned(oracle: InpEm, value: Items, draws: Draws) -> Row:
    """Turn the item of each attribute in order over with `root/(1+root)`, root the alpha of one bit."""
    return {"bits": packed_bits([item ^ draws.bernoulli(flip(oracle.root)) for item in value])}


def report_table_sign(oracle: Marght, value: Items, draws: Draws) -> Row:
    """Draw a coefficient of a table, all as likely, and turn its sign over with `alpha/(1+alpha)`.

    Coefficient c is number `a = c mod (2^k - 1) + 1` of table `floor(c / (2^k - 1))`. Its bit, 1 for minus, is the
    parity of the bits that a and the own cell of the table have in common.
    """
    coefficient = draws.uniform_below(oracle.branches)
    table, number = divmod(coefficient, oracle.unknown)
    cell = 0
    for i in oracle.subsets[table]:
        cell = 2 * cell + value[i]
    return {"coefficient": coefficient, "bit": parity(cell & number + 1) ^ draws.bernoulli(flip(oracle.alpha))}


def report_sign(oracle: FourierOracle, value: Items, draws: Draws) -> Row:
    """Choose a set of attributes by weights, for each in order a function, and turn the product of their signs over.

    The function of an attribute is chosen by its weights. Its sign at the own item, where it has the value f, is minus
    with the chance `(1 - f) / 2`: nothing is drawn where f is 1 or -1. The product is turned over with
    `alpha/(1+alpha)`. The report is twice the number of the coefficient, and 1 more for minus. Coefficients are
    numbered by their sets, and then by their functions, the last attribute's changing fastest.
    """
    branch = draws.choose(oracle.branch_weights)
    place, minus = 0, 0
    for i in oracle.supports.all[branch]:
        functions = oracle.functions[i]
        chosen = draws.choose(functions.weights)
        numerator = int(functions.numerators[chosen, value[i]])
        minus ^= draws.bernoulli(Fraction(functions.denominator - numerator, 2 * functions.denominator))
        place = place * functions.count + chosen
    minus ^= draws.bernoulli(flip(oracle.alpha))
    return {"report": 2 * (int(oracle.supports.starts[branch]) + place) + minus}
