"""Stated facts of every system.

They are constants, columns, contributions, alpha, moments and precisions, all exact.

What comes out of floats and stands in digests of tasks is here at many sizes: weights of levels, functions, sets,
choices of an oracle. Each row of facts is one line of a text; `tests/catalog/golden_facts.json` has its digest.
"""

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

from row_designs import cyclic_rows

from mechdesign import Mechanism, Privacy
from mechdesign.workloads.ordered import Prefixes
from mechdesign_catalog.decoders.tables.decomposition import cell_precision
from mechdesign_catalog.systems import make_oracle, parse_oracle
from mechdesign_catalog.systems.designs.designed import Designed
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.levels.hierarchical import contrast_variance
from mechdesign_catalog.systems.levels.level_oracle import LevelOracle
from mechdesign_catalog.systems.registry import FLAT_ORACLES
from mechdesign_catalog.systems.tables.fourier.inpes import Inpes
from mechdesign_catalog.systems.tables.fourier.inpht import Inpht
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle

GOLDEN = Path(__file__).parents[1] / "catalog" / "golden_facts.json"

ONE, OFTEN = Privacy(epsilon=1), Privacy(alpha="28/101")
SIZES = range(2, 41)

FLAT = tuple(name for name in FLAT_ORACLES if name != "hcms")
FLAT += ("rappor:p=1/4:q=3/4", "hrr:t=3", "hcms:hashes=5:width=8", "ss:size=rare", "ss:size=mean", "dbitflip:d=2")
TREES = ("hh:b=2", "hh:b=4:in=hrr", "hh:b=3:in=auto:estimate=raw", "hh:b=3:in=ss-hrr", "haar", "blocks:levels={k}*1")
LINES = ("warped-blocks:levels=uniform",)
PLANES = ("hh2:b=2", "hh2:b=3:in=auto", "haar2", "blocks2:levels=1x1*1")

TABLES = {
    "spl": ((2, 6), (3, 2, 4), (2, 2, 2), (5, 7), (9,), (2, 3, 2, 3)),
    "inprr:sue": ((2, 6), (3, 2, 4), (2, 2, 2), (5, 7), (3, 3), (2, 3, 2, 3)),
    "margps": ((2, 6), (3, 2, 4), (2, 2, 2), (5, 7), (3, 3), (2, 3, 2, 3)),
    "marght": ((2, 2), (2, 2, 2), (2, 2, 2, 2), (2,) * 5, (2,) * 6, (2,) * 8),
}
LIKE = {
    "spl": ("smp", "rs+fd:encoding=grr", "rs+fd:encoding=oue-z", "rs+fd:encoding=adp"),
    "inprr:sue": ("inprr:oue", "inpps", "inpolh", "inphtcms:hashes=3:width=4:seed=7"),
    "margps": ("margrr", "margrr:sue", "calm", "inpht", "inpht:k=1:draw=uniform", "inpes", "inpes:basis=helmert"),
    "marght": ("inpem", "inpem:k=1", "inpes:basis=walsh"),
}
"""Systems with the same six domains as another one."""

LEVELS = ("hh:b=2", "hh:b=4", "haar")
WEIGHED = ("optimal", "ranges", "prefixes")
MANY = (*range(2, 301), 1 << 10, 1 << 16, 1 << 20)


def rows() -> Iterator[tuple[str, str]]:
    """Yield the facts of each system at each size, by a name."""
    for text in (*FLAT, *TREES):
        for k in SIZES:
            if not (text == "ss:size=2" and k < 3):
                yield f"{text} {k}", _facts(parse_oracle(text.format(k=k), k, ONE if k % 2 else OFTEN))
    yield from _of_lines()
    for text in PLANES:
        for one, other in ((2, 2), (2, 7), (3, 5), (4, 4), (6, 3), (8, 5)):
            name, *options = text.split(":")
            oracle = parse_oracle(":".join([name, *options, f"sides={one}x{other}"]), one * other, ONE)
            yield f"{text} {one}x{other}", _facts(oracle)
    for k in SIZES:
        yield f"onebitmean {k}", _facts(OneBitMean(k, ONE, Fraction(24)))
        yield f"designed {k}", _facts(Designed.of(_design(k)))
        yield (
            f"workload-design {k}",
            _facts(WorkloadOracle.of(cyclic_rows(k, Fraction(1, 3), (2, 1)[: k - 1]), Prefixes(k))),
        )
    for first, domains in TABLES.items():
        for text in (first, *LIKE[first]):
            for domain in domains:
                yield f"{text} {domain}", _facts(parse_marginal_oracle(text, domain, OFTEN))


def _of_lines() -> Iterator[tuple[str, str]]:
    for text in LINES:
        for k in (*range(4, 41), 100, 1000):
            yield f"{text} {k}", _facts(parse_oracle(text, k, ONE if k % 2 else OFTEN))


def weights(sizes: Sequence[int] = MANY) -> Iterator[tuple[str, list[str]]]:
    """Yield the weights of levels at these sizes, by an oracle's name.

    They are whole parts of floats, which linear algebra rounds as the machine and its threads have it: at k = 1024 one
    is 62 or 63. So files state them, and no two of a task are computed.
    """
    for text in LEVELS:
        for weighed in WEIGHED:
            yield f"{text}:levels={weighed}", [_weights(f"{text}:levels={weighed}", k) for k in sizes]


def floats() -> Iterator[tuple[str, str]]:
    """Yield what else comes out of floats, by a name: choices of oracles, functions and sets."""
    choices = [[kind.name for kind in parse_oracle("hh:b=2:in=auto", k, ONE).parts] for k in MANY]
    yield "hh:in=auto", json.dumps(choices)
    for name, kinds in (("inpht", Inpht), ("inpes", Inpes)):
        for k in (*range(2, 41), 64, 100, 300):
            oracle = kinds((k, 3, 5), ONE)
            parts = [[one.numerators.tolist(), one.denominator, one.weights] for one in oracle.functions]
            yield f"{name} weights {k}", json.dumps([oracle.branch_weights, parts])
    for d in range(3, 13):
        for way in (2, 3):
            oracle = parse_marginal_oracle(f"calm:k={way}", (2, 3, 4, 2)[: d % 4] + (2,) * (d - d % 4), ONE)
            yield f"calm {d} k={way}", json.dumps(oracle.parameters)
    kinds = [[kind.name for kind in parse_marginal_oracle("rs+fd", (k, 2, 9), ONE).parts] for k in range(2, 301)]
    yield "rs+fd adp", json.dumps(kinds)


def digest(text: str) -> str:
    """Twelve digits of the SHA-256 of a line."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _design(k: int) -> Mechanism:
    """A design without symmetry, which is invertible."""
    weights = [[3 * k if i == j else 1 + (i * j) % 3 for j in range(k)] for i in range(k)]
    for j in range(k):
        weights[j][j] += 8 * k - sum(row[j] for row in weights)
    return Mechanism(tuple(map(tuple, weights)), 8 * k)


def _weights(text: str, k: int) -> str:
    return make_oracle(text.split(":")[0], k, ONE, **_options(text)).parameters["levels"]


def _options(text: str) -> dict[str, str | int]:
    pairs = (option.split("=") for option in text.split(":")[1:])
    return {name: int(value) if value.isdecimal() else value for name, value in pairs}


def _facts(oracle: object) -> str:
    moments = getattr(oracle, "moments", None)
    stated = {
        "parameters": oracle.parameters,
        "constants": oracle.constants,
        "wire": repr(oracle.report_schema),
        "parts": repr(oracle.contribution.parts),
        "alpha": str(oracle.alpha),
        "moments": repr(moments),
    }
    if isinstance(oracle, LevelOracle) and hasattr(oracle.parts[0].moments, "other"):
        stated["contrasts"] = [str(contrast_variance(kind)) for kind in oracle.parts]
    if hasattr(moments, "at_uniform_shares") and hasattr(oracle, "k"):
        stated["precision"] = str(cell_precision(moments, oracle.k))
    if hasattr(oracle, "flat"):
        stated["cells"] = [str(cell_precision(oracle.flat.moments, prod(oracle.domains)))]
    return json.dumps(stated)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rows"]:
        Path(sys.argv[2]).write_text("\n".join(f"{name} {text}" for name, text in rows()) + "\n", encoding="utf-8")
    else:
        found: dict[str, dict[str, Any]] = {made.__name__: dict(made()) for made in (rows, floats)}
        found = {kind: {name: digest(text) for name, text in listed.items()} for kind, listed in found.items()}
        found["weights"] = dict(weights())
        GOLDEN.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")
