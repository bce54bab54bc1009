"""Oracles by name, and made again from their parameters."""

from fractions import Fraction
from pathlib import Path

from mechdesign.documents.files import MATRIX_SUFFIXES
from mechdesign.documents.storage import read_stored
from mechdesign.documents.stored import StoredLevelDesign, StoredWorkloadDesign
from mechdesign.errors import InputError, quote, shorten
from mechdesign.names import nearest_name, require_known
from mechdesign.problem.privacy import Privacy, require_privacy
from mechdesign_catalog.mechanisms.candidates import DESIGN
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.randomizers.reports.reports import Parameters
from mechdesign_catalog.systems.designs.designed import Designed, designed_oracle
from mechdesign_catalog.systems.designs.level_design import oracle_of_stored_levels
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.designs.workload_design_file import oracle_of_document
from mechdesign_catalog.systems.flat.dbitflip import DBitFlip
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.hadamard import Hrr
from mechdesign_catalog.systems.flat.local_hashing import Blh, Olh
from mechdesign_catalog.systems.flat.sketch import Hcms
from mechdesign_catalog.systems.flat.subset import SubsetSelection
from mechdesign_catalog.systems.flat.unary import Oue, Rappor, Sue
from mechdesign_catalog.systems.installed import installed_oracle
from mechdesign_catalog.systems.levels.blocks import Blocks
from mechdesign_catalog.systems.levels.blocks2 import Blocks2
from mechdesign_catalog.systems.levels.haar import Haar
from mechdesign_catalog.systems.levels.haar2 import Haar2
from mechdesign_catalog.systems.levels.hh2 import HierarchicalHistograms2
from mechdesign_catalog.systems.levels.hierarchical import HierarchicalHistograms
from mechdesign_catalog.systems.levels.warped_blocks import WarpedBlocks
from mechdesign_catalog.systems.mean import MEAN_ORACLES

OracleClass = type[FrequencyOracle]

FLAT_CLASSES: tuple[OracleClass, ...] = (Grr, Sue, Oue, Rappor, Blh, Olh, Hrr, Hcms, SubsetSelection, DBitFlip)
FLAT_ORACLES: dict[str, OracleClass] = {kind.name: kind for kind in FLAT_CLASSES}
"""Those whose users all report about all items."""

SYSTEM_CLASSES: tuple[OracleClass, ...] = (HierarchicalHistograms, Haar, Blocks, WarpedBlocks)
SYSTEMS: dict[str, OracleClass] = {kind.name: kind for kind in SYSTEM_CLASSES}
"""Those whose users share out over levels."""

ORACLES: dict[str, OracleClass] = {**FLAT_ORACLES, **SYSTEMS}
"""Those that k and the privacy are enough for."""

FLAT = "flat:"

PLANES: dict[str, OracleClass] = {kind.name: kind for kind in (HierarchicalHistograms2, Haar2, Blocks2)}
"""Those on two columns, which need the sides of their table too."""

READABLE: dict[str, OracleClass] = {**ORACLES, **PLANES, Designed.name: Designed, WorkloadOracle.name: WorkloadOracle}
"""Those that reports can be of."""


def make_oracle(name: str, k: int, privacy: Privacy, /, **options: str | int | Fraction) -> FrequencyOracle:
    """Make the oracle of that name for k items; `options` are those of its class, such as t or d.

    Where Python reserves the name of an option, as `in`, it may be written `in_`. `design:PROPS:LOSS` is a mechanism
    that is designed for this k and this privacy.

    Raises:
        InputError: for an unknown name, with the nearest known one, or an option that it does not have.
    """
    if name.lower().startswith(DESIGN):
        if options:
            raise InputError(f"{next(iter(options))} must not be given for {shorten(name)}; it has no options")
        return designed_oracle(name, k, privacy)
    return find_oracle(name).with_options(
        k, privacy, {option.removesuffix("_"): value for option, value in options.items()}
    )


def find_oracle(name: str) -> OracleClass:
    """Find the class of that name: one of this package, else one that another installed package offers."""
    word = name.strip().lower()
    if word in MEAN_ORACLES:
        raise InputError(f"oracle must be for frequencies of items, got {word}, which estimates a mean")
    known = {**ORACLES, **PLANES}
    installed: OracleClass | None = None if word in known else installed_oracle(word)
    if installed is not None:
        return installed
    return known[require_known(name, known, "oracle", ["design:PROPS:LOSS", "a mechanism's file"])]


def oracle_of(parameters: Parameters) -> FrequencyOracle:
    """Make the oracle that reports or a state were made with.

    Raises:
        InputError: for parameters that no oracle has, or one that is not installed, with the nearest known one.
    """
    name = str(parameters.get("oracle", ""))
    kind: OracleClass | None = READABLE.get(name) or installed_oracle(name)
    if kind is None:
        near = nearest_name(name, READABLE)
        hint = f"; did you mean {near}?" if near else ""
        raise InputError(f"oracle must be one of this version or of an installed package, got {shorten(name)}{hint}")
    return kind.of_parameters(parameters)


def with_sides(text: str, sides: tuple[int, int]) -> str:
    """Add the sides of a table to the text of an oracle on tables, where it names none.

    >>> with_sides("hh2:b=4", (8, 16)), with_sides("hh:b=4", (8, 16))
    ('hh2:b=4:sides=8x16', 'hh:b=4')
    """
    name, *options = (word.strip() for word in text.lower().split(":"))
    if name not in PLANES or any(option.startswith("sides=") for option in options):
        return text
    return f"{text.strip()}:sides={sides[0]}x{sides[1]}"


def without_flat(text: str) -> str:
    """Return the oracle in the text of a command line, less the word `flat:` before it.

    That stands for the oracle on all items at once, beside systems that share users out over levels.

    Raises:
        InputError: for nothing after it, `flat:` again, or a system of levels.

    >>> without_flat(" flat:hrr:t=2"), without_flat("oue")
    ('hrr:t=2', 'oue')
    """
    word = text.strip()
    if not word.lower().startswith(FLAT):
        return word
    rest = word[len(FLAT) :].strip()
    if not rest or rest.lower().partition(":")[0] in (FLAT.strip(":"), *SYSTEMS, *PLANES):
        raise InputError(f"flat must be followed by an oracle on all items (flat:olh), got {shorten(word)}")
    return rest


def is_mechanism_file(text: str) -> bool:
    """Return whether this is the name of a mechanism's file, which has an alpha of its own."""
    return not text.lower().startswith(DESIGN) and Path(text).suffix.lower() in MATRIX_SUFFIXES


def parse_oracle(text: str, k: int, privacy: Privacy | None) -> FrequencyOracle:
    """Make an oracle from the text of a command line: its name, options after colons; a design; a mechanism's file.

    `flat:` may stand before each. A file may do without a privacy parameter; if one is given, the file must not lose
    more.

    Raises:
        InputError: as `make_oracle` and `without_flat`, and for no privacy parameter where one is needed.

    >>> parse_oracle("grr", 4, Privacy(alpha="0.5")).parameters
    {'oracle': 'grr', 'k': 4, 'privacy': 'alpha=1/2'}
    >>> parse_oracle("flat:hrr:t=2", 4, Privacy(alpha="0.5")) == parse_oracle("hrr:t=2", 4, Privacy(alpha="0.5"))
    True
    """
    oracle = without_flat(text)
    if is_mechanism_file(oracle):
        return file_oracle(oracle, k, privacy)
    asked = require_privacy(privacy)
    if oracle.lower().startswith(DESIGN):
        return make_oracle(oracle, k, asked)
    name, options = split_options(oracle)
    return make_oracle(name, k, asked, **options)


def file_oracle(path: str, k: int, privacy: Privacy | None) -> FrequencyOracle:
    """Make the oracle of a file: of a square mechanism, or of a design for a workload. All that it needs is checked.

    Raises:
        InputError: for a file that is none, another k, or one that loses more than the privacy allows.
        RefusedError: naming the first claim that is false.
    """
    stored = read_stored(path)
    if isinstance(stored, StoredWorkloadDesign):
        return oracle_of_document(stored, path, k, privacy)
    if isinstance(stored, StoredLevelDesign):
        return oracle_of_stored_levels(stored, path, k, privacy)
    return designed_oracle(path, k, privacy)


def split_options(text: str) -> tuple[str, dict[str, str | int]]:
    """Split a text into the name and the options: whole numbers where they are, else texts.

    Raises:
        InputError: for an option without a value, or one that is there twice.

    >>> split_options("rappor:p=1/4:q=3/4")
    ('rappor', {'p': '1/4', 'q': '3/4'})
    """
    name, *words = text.strip().split(":")
    options: dict[str, str | int] = {}
    for word in words:
        option, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not option.isidentifier() or option.endswith("_") or "," in value:
            raise InputError(
                f"options of an oracle must be NAME=VALUE, each after a colon (rappor:p=1/4:q=3/4), got {quote(word)}"
            )
        if option.lower() in options:
            raise InputError(f"options of an oracle must be given once, got {shorten(option)} twice in {shorten(text)}")
        options[option.lower()] = int(value) if value.isdecimal() else value
    return name, options
