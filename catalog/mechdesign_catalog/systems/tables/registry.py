"""Oracles for several attributes by name, and made again from their parameters."""

from mechdesign.names import require_known
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.tables.subsets import Domains
from mechdesign_catalog.randomizers.reports.reports import Parameters
from mechdesign_catalog.systems.attributes.marginal_oracle import MarginalOracle
from mechdesign_catalog.systems.attributes.rsfd import RsFd
from mechdesign_catalog.systems.attributes.smp import Smp
from mechdesign_catalog.systems.attributes.spl import Spl
from mechdesign_catalog.systems.registry import split_options
from mechdesign_catalog.systems.tables.fourier.inpes import Inpes
from mechdesign_catalog.systems.tables.fourier.inpht import Inpht
from mechdesign_catalog.systems.tables.inputs.inpem import InpEm
from mechdesign_catalog.systems.tables.inputs.input_sketch import InpHtCms
from mechdesign_catalog.systems.tables.inputs.joint_kinds import InpOlh, InpPs, InpRrOue, InpRrSue
from mechdesign_catalog.systems.tables.sampling.all_tables import Margps, Margrr, MargrrSue
from mechdesign_catalog.systems.tables.sampling.calm import Calm
from mechdesign_catalog.systems.tables.sampling.marght import Marght

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
    """Return whether the text of a command line names an oracle for several attributes."""
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
    return kind.with_options(domains, privacy, options)


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
    name = require_known(str(parameters.get("oracle", "")), MARGINAL_ORACLES, "oracle")
    return MARGINAL_ORACLES[name].of_parameters(parameters)
