"""Make reports of users who have an item of each of several attributes, through oracles of single items.

A table's cell, and a combination of all items, is numbered with the last attribute changing fastest: the cell of the
items x_1, x_2, ... is `(x_1 k_2 + x_2) k_3 + ...`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from mechdesign_catalog.marginals.inputs.joint_oracle import JointOracle
from mechdesign_catalog.marginals.sampling.sampled_tables import SampledTables
from mechdesign_catalog.multidimensional.fakes import FakedGrr, FakedOue
from mechdesign_catalog.multidimensional.one_of_tables import OneOfTables
from mechdesign_catalog.multidimensional.rsfd import RsFd
from mechdesign_catalog.multidimensional.smp import Smp
from mechdesign_catalog.multidimensional.spl import Spl
from mechdesign_catalog.multidimensional.tables import Domains
from mechdesign_catalog.reference.bits import report_unary
from mechdesign_catalog.reference.byte_stream import Draws
from mechdesign_catalog.reference.direct import report_grr
from mechdesign_catalog.reference.flat import flat_row
from mechdesign_catalog.reference.rows import Client, Row, packed_bits, packed_row

Items = tuple[int, ...]


def report_spl(oracle: Spl, value: Items, draws: Draws) -> Row:
    """Report every attribute in order through its oracle; the columns of attribute j end with `_j`, j from 1."""
    return _side_by_side([flat_row(kind, item, draws) for kind, item in zip(oracle.oracles, value, strict=True)])


def report_smp(oracle: Smp, value: Items, draws: Draws) -> Row:
    """Draw an attribute, all as likely, and report its item through its oracle."""
    attribute = draws.uniform_below(len(oracle.domains))
    return {"attribute": attribute, "report": _about(oracle.collection, attribute, value, draws)}


def report_rsfd(oracle: RsFd, value: Items, draws: Draws) -> Row:
    """Draw the attribute that is told, all as likely; then report every attribute in order, really or by a fake.

    A fake of GRR is an item drawn uniformly. A fake of OUE is a Bernoulli of q for every item in order.
    """
    told = draws.uniform_below(len(oracle.domains))
    rows: list[Row] = []
    for attribute, (kind, item) in enumerate(zip(oracle.faked, value, strict=True)):
        real, fake = REAL_AND_FAKE[type(kind)]
        rows.append(real(kind, item, draws) if attribute == told else fake(kind, draws))
    return _side_by_side(rows)


def _fake_item(kind: FakedGrr, draws: Draws) -> Row:
    return {"item": draws.uniform_below(kind.k)}


def _fake_bits(kind: FakedOue, draws: Draws) -> Row:
    return {"bits": packed_bits([draws.bernoulli(kind.support.q) for _ in range(kind.k)])}


REAL_AND_FAKE: dict[type, tuple[Client, Callable[[Any, Draws], Row]]] = {
    FakedGrr: (report_grr, _fake_item),
    FakedOue: (report_unary, _fake_bits),
}


def report_joint(oracle: JointOracle, value: Items, draws: Draws) -> Row:
    """Report the combination of all items through an oracle on all combinations."""
    return flat_row(oracle.flat, _cell(oracle.domains, range(len(oracle.domains)), value), draws)


def report_sampled(oracle: SampledTables, value: Items, draws: Draws) -> Row:
    """Draw a set of attributes, all as likely, and report the own cell of its table through the table's oracle."""
    number = draws.uniform_below(len(oracle.sets))
    return {"set": number, "report": _about(oracle.collection, number, value, draws)}


def _about(tables: OneOfTables, number: int, value: Items, draws: Draws) -> bytes:
    """Report the own cell of one table, as bytes."""
    cell = _cell(tables.domains, tables.sets[number], value)
    return packed_row(tables.oracles[number].wire, flat_row(tables.oracles[number], cell, draws))


def _cell(domains: Domains, subset: Sequence[int], value: Items) -> int:
    found = 0
    for i in subset:
        found = found * domains[i] + value[i]
    return found


def _side_by_side(rows: Sequence[Row]) -> Row:
    return {f"{name}_{number}": cell for number, row in enumerate(rows, start=1) for name, cell in row.items()}
