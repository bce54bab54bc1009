"""Make reports that are one output of a mechanism: GRR's, and those of designs."""

from mechdesign_catalog.oracles.kinds.designed import Designed
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle
from mechdesign_catalog.reference.byte_stream import Draws, randomised_response
from mechdesign_catalog.reference.rows import Row


def report_grr(oracle: Grr, value: int, draws: Draws) -> Row:
    """Keep the item with p, by randomised response over the k items."""
    return {"item": randomised_response(draws, value, oracle.k, oracle.support.p)}


def report_design(oracle: Designed, value: int, draws: Draws) -> Row:
    """Choose the reported item by the weights of the own item's column, which add up to the denominator."""
    return {"item": draws.choose([row[value] for row in oracle.mechanism.weights])}


def report_workload_design(oracle: WorkloadOracle, value: int, draws: Draws) -> Row:
    """Choose the reported row by its weight, times the numerator or the denominator of alpha as its letter says."""
    made = oracle.mechanism
    entry = {"0": made.alpha.numerator, "1": made.alpha.denominator}
    pairs = zip(made.weights, made.rows, strict=True)
    return {"row": draws.choose([weight * entry[row[value]] for weight, row in pairs])}
