"""State the exact constants of oracles that are made of others: of levels, and of several attributes."""

from collections.abc import Callable, Mapping
from typing import Any

from mechdesign.rational import fraction_text
from mechdesign_catalog.marginals.decomposition import cell_precision
from mechdesign_catalog.marginals.fourier.fourier_oracle import FourierOracle
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
from mechdesign_catalog.multidimensional.one_way_base import OneWayBase
from mechdesign_catalog.multidimensional.rsfd import RsFd
from mechdesign_catalog.multidimensional.smp import Smp
from mechdesign_catalog.multidimensional.spl import Spl
from mechdesign_catalog.oracles.levels.haar import Haar
from mechdesign_catalog.oracles.levels.hierarchical import HierarchicalHistograms, ShareOracle, contrast_variance
from mechdesign_catalog.oracles.levels.level_oracle import LevelOracle
from mechdesign_catalog.oracles.levels.plane.haar2 import Haar2
from mechdesign_catalog.oracles.levels.plane.hh2 import HierarchicalHistograms2
from mechdesign_catalog.oracles.levels.signed_hadamard import SignedHrr
from mechdesign_catalog.oracles.probabilities import flip

Constants = dict[str, Any]
"""As JSON has them: whole numbers, rationals as texts (`3/10`), and lists and objects of these."""

Nested = Callable[[Any], Constants]
"""States an oracle that is a part of another: its name, its number of items, and its constants."""


def _signs(oracle: SignedHrr, nested: Nested) -> Constants:
    return {"turned": fraction_text(flip(oracle.alpha))}


def _levels(oracle: LevelOracle, nodes: list[Constants], nested: Nested) -> Constants:
    """State how often each level is drawn, which items are together in a node, and the oracle of the nodes."""
    levels = zip(oracle.level_weights, nodes, oracle.level_oracles, strict=True)
    return {"levels": [{"weight": weight, **items, **nested(of_level)} for weight, items, of_level in levels]}


def _hh(oracle: HierarchicalHistograms, nested: Nested) -> Constants:
    """State beside a level's items the variance of a contrast of its nodes, by which estimates are weighed."""
    nodes = zip(oracle.tree.sizes, oracle.level_oracles, strict=True)
    return _levels(oracle, [{"items": size, **_variance(of_level)} for size, of_level in nodes], nested)


def _variance(oracle: ShareOracle) -> Constants:
    return {"variance": fraction_text(contrast_variance(oracle))}


def _haar(oracle: Haar, nested: Nested) -> Constants:
    return _levels(oracle, [{"half": 1 << oracle.height - 1 - level} for level in oracle.all_levels], nested)


def _hh2(oracle: HierarchicalHistograms2, nested: Nested) -> Constants:
    one, two = oracle.trees
    nodes = [
        {"items": [one.sizes[a], two.sizes[b]], "columns": two.leaves // two.sizes[b], **_variance(of_level)}
        for (a, b), of_level in zip(oracle.pairs, oracle.level_oracles, strict=True)
    ]
    return _levels(oracle, nodes, nested)


def _haar2(oracle: Haar2, nested: Nested) -> Constants:
    """State half a node's length on each side, 0 where the side is taken whole; `columns` nodes are beside another."""
    one, two = oracle.trees
    nodes = []
    for a, b in oracle.pairs:
        halves = [0 if row == tree.rows - 1 else 1 << row for row, tree in ((a, one), (b, two))]
        nodes.append({"half": halves, "columns": two.leaves // (2 * halves[1]) if halves[1] else 1})
    return _levels(oracle, nodes, nested)


def _attributes(oracle: OneWayBase, nested: Nested) -> Constants:
    return {"attributes": [nested(kind) for kind in oracle.kinds]}


def _faked(oracle: RsFd, nested: Nested) -> Constants:
    """State each attribute's oracle with the amplified budget, and p and q over the draw of the real one as well."""
    kinds = []
    for kind in oracle.faked:
        mixed = {"p": fraction_text(kind.mixed.p), "q": fraction_text(kind.mixed.q)}
        kinds.append({**nested(kind), "oracle": kind.label, "mixed": mixed})
    return {"attributes": kinds}


def _joint(oracle: JointOracle, nested: Nested) -> Constants:
    return {"combinations": nested(oracle.flat)}


def _tables(oracle: SampledTables, nested: Nested) -> Constants:
    """State the sets of attributes, each as likely, and the oracle of a table of so many cells.

    The precision is what a report weighs where several sets tell a table.
    """
    by_cells = {kind.k: kind for kind in oracle.oracles}
    tables = [
        {**nested(kind), "precision": fraction_text(cell_precision(kind.moments, cells))}
        for cells, kind in sorted(by_cells.items())
    ]
    return {"sets": [list(attributes) for attributes in oracle.sets], "tables": tables}


def _coefficients(oracle: Marght, nested: Nested) -> Constants:
    sets = [list(attributes) for attributes in oracle.subsets]
    return {"sets": sets, "turned": fraction_text(flip(oracle.alpha))}


def _products(oracle: FourierOracle, nested: Nested) -> Constants:
    """State the sets with their weights, and the functions of an attribute with so many items."""
    functions = {
        items: {
            "items": items,
            "denominator": made.denominator,
            "numerators": made.numerators.tolist(),
            "weights": list(made.weights),
        }
        for items, made in zip(oracle.domains, oracle.functions, strict=True)
    }
    return {
        "turned": fraction_text(flip(oracle.alpha)),
        "sets": [list(attributes) for attributes in oracle.supports.all],
        "weights": list(oracle.branch_weights),
        "functions": [functions[items] for items in sorted(functions)],
    }


def _bits(oracle: InpEm, nested: Nested) -> Constants:
    return {"turned": fraction_text(flip(oracle.root))}


SYSTEM_CONSTANTS: Mapping[type, Callable[[Any, Nested], Constants]] = {
    SignedHrr: _signs,
    HierarchicalHistograms: _hh,
    Haar: _haar,
    HierarchicalHistograms2: _hh2,
    Haar2: _haar2,
    Spl: _attributes,
    Smp: _attributes,
    RsFd: _faked,
    InpRrSue: _joint,
    InpRrOue: _joint,
    InpPs: _joint,
    InpOlh: _joint,
    InpHtCms: _joint,
    InpEm: _bits,
    MargrrSue: _tables,
    Margrr: _tables,
    Margps: _tables,
    Calm: _tables,
    Marght: _coefficients,
    Inpht: _products,
    Inpes: _products,
}
