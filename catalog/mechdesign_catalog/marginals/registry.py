"""Find the oracles for several attributes by name, and make them again from their parameters."""

from typing import Any

from mechdesign.errors import InputError, shorten
from mechdesign.names import require_known
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.marginals.fourier.inpes import Inpes
from mechdesign_catalog.marginals.fourier.inpht import Inpht
from mechdesign_catalog.marginals.inputs.inpem import InpEm
from mechdesign_catalog.marginals.inputs.input_sketch import InpHtCms
from mechdesign_catalog.marginals.inputs.joint_kinds import InpOlh, InpPs, InpRrOue, InpRrSue
from mechdesign_catalog.marginals.sampling.all_tables import Margps, Margrr, MargrrSue
from mechdesign_catalog.marginals.sampling.calm import Calm
from mechdesign_catalog.marginals.sampling.marght import Marght
from mechdesign_catalog.multidimensional.marginal_oracle import MarginalOracle
from mechdesign_catalog.multidimensional.rsfd import RsFd
from mechdesign_catalog.multidimensional.smp import Smp
from mechdesign_catalog.multidimensional.spl import Spl
from mechdesign_catalog.multidimensional.tables import Domains
from mechdesign_catalog.oracles.registry import split_options
from mechdesign_catalog.oracles.reports import Parameters

MarginalOracleClass = type[MarginalOracle]

MARGINAL_CLASSES: tuple[MarginalOracleClass, ...] = (
    Spl,
    Smp,
    RsFd,
    InpRrSue,
    InpRrOue,
    InpPs,
    InpOlh,
    InpHtCms,
    InpEm,
    MargrrSue,
    Margrr,
    Margps,
    Marght,
    Calm,
    Inpht,
    Inpes,
)
MARGINAL_ORACLES: dict[str, MarginalOracleClass] = {kind.name: kind for kind in MARGINAL_CLASSES}
"""Oracles for users with several attributes each; some names are of two words, as `inprr:oue`."""

DEFAULTS = {"inprr": "inprr:oue"}
"""The full names of those that are meant by a first word alone: of two encodings the one with less variance."""


def is_marginal_oracle(text: str) -> bool:
    """Tell whether the text of a command line names an oracle for several attributes."""
    first = text.strip().lower().partition(":")[0]
    return first in DEFAULTS or first in {name.partition(":")[0] for name in MARGINAL_ORACLES}


def parse_marginal_oracle(text: str, domains: Domains, privacy: Privacy) -> MarginalOracle:
    """Make an oracle for several attributes from the text of a command line: its name, options after colons.

    Raises:
        InputError: for an unknown name, with the nearest known one, or an option that it does not have.
    """
    name, rest = _split_name(text)
    kind = MARGINAL_ORACLES[require_known(name, MARGINAL_ORACLES, "oracle")]
    _, options = split_options(":".join([name.partition(":")[0], *rest]))
    known = {option: field for option, field in kind.fields_by_option().items() if option not in FIXED}
    for option, value in options.items():
        if option not in known:
            has = f"its options are {', '.join(sorted(known))}" if known else "it has no options"
            raise InputError(f"{option} must not be given for {kind.name}, got {option}={value}; {has}")
    return kind(domains, privacy, **{known[option]: value for option, value in options.items()})


FIXED = ("domains", "privacy")
"""Parameters that are no options."""


def _split_name(text: str) -> tuple[str, list[str]]:
    """Split off a name of one word, or of two where that is a name."""
    first, *rest = (word.strip() for word in text.strip().lower().split(":"))
    if rest and f"{first}:{rest[0]}" in MARGINAL_ORACLES:
        return f"{first}:{rest[0]}", rest[1:]
    return DEFAULTS.get(first, first), rest


def marginal_oracle_of(parameters: Parameters) -> MarginalOracle:
    """Make the oracle that reports or a state were made with.

    Raises:
        InputError: for parameters that no such oracle has.
    """
    values: dict[str, Any] = dict(parameters)
    kind = MARGINAL_ORACLES[require_known(str(values.pop("oracle", "")), MARGINAL_ORACLES, "oracle")]
    known = kind.fields_by_option()
    if set(values) != set(known):
        raise InputError(f"parameters of {kind.name} must be {', '.join(sorted(known))}, got {', '.join(values)}")
    privacy, domains = Privacy.parse(values.pop("privacy")), _parse_domains(values.pop("domains"))
    oracle = kind(domains, privacy, **{known[option]: value for option, value in values.items()})
    if oracle.parameters != parameters:
        raise InputError(f"parameters of {kind.name} must be those that it writes, got {shorten(parameters)}")
    return oracle


def _parse_domains(text: object) -> Domains:
    parts = str(text).split(",")
    if not all(part.isdecimal() and len(part) < 14 for part in parts):
        raise InputError(f"domains must be whole numbers with commas between them, got {shorten(text)}")
    return tuple(int(part) for part in parts)
