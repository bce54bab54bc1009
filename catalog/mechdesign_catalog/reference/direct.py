"""Make reports that are items: GRR's, and those of a designed mechanism."""

from mechdesign_catalog.oracles.kinds.designed import Designed
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.reference.byte_stream import Draws, randomised_response
from mechdesign_catalog.reference.rows import Row


def report_grr(oracle: Grr, value: int, draws: Draws) -> Row:
    """Keep the item with p, by randomised response over the k items."""
    return {"item": randomised_response(draws, value, oracle.k, oracle.support.p)}


def report_design(oracle: Designed, value: int, draws: Draws) -> Row:
    """Choose the reported item by the weights of the own item's column, which add up to the denominator."""
    return {"item": draws.choose([row[value] for row in oracle.mechanism.weights])}
