"""Read the options of a release that say what is released, and by which mechanisms."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mechdesign.designs import Design
from mechdesign.documents.files import MATRIX_SUFFIXES
from mechdesign.errors import InputError
from mechdesign.laws.law import Law
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.properties import ordered
from mechdesign.program.solvers.choice import choose_solver
from mechdesign.releases.designing import USUAL_LOSS, USUAL_PROPERTIES, DesignedSizes, DesignRequest, GivenMechanism
from mechdesign.releases.files import privacy_of_each, require_no_file, require_one_of_microdata
from mechdesign.releases.inputs import CountedAs
from mechdesign_catalog.mechanisms.candidates import parse_candidate
from mechdesign_catalog.mechanisms.closed_forms import CLOSED_FORMS, certified_form
from mechdesign_cli.files.released_data import ReleasedData
from mechdesign_cli.parsing.choices import read_loss, read_prior
from mechdesign_cli.parsing.data_options import refuse_options

Designs = DesignedSizes | GivenMechanism


@dataclass(frozen=True)
class FormRequest:
    """Take a closed form of the catalog for each size, with the proof of how far it is from the best."""

    form: str
    privacy: Privacy

    def problem(self, size: int) -> DesignProblem:
        """State the problem that the form is put forward for."""
        return CLOSED_FORMS[self.form].problem(size, self.privacy.alpha).with_privacy(self.privacy)

    def design(self, size: int) -> Design:
        """Make the form for groups of one size, and certify it."""
        return certified_form(CLOSED_FORMS[self.form], self.problem(size))

    def seconds(self, size: int) -> float:
        """Estimate the time of the best design, which gives the bound."""
        return DesignRequest(self.privacy).estimate(self.problem(size))

    def find_law(self) -> Law:
        """Refuse: a closed form is a matrix for each size."""
        raise InputError(
            f"{self.form} is a matrix for each size; without --mechanism a law serves groups of every size"
        )


def require_form(
    request: ReleasedData,
    input: Path | None,
    asked: CountedAs,
    mechanism: Path | None,
    keep_true: bool,
    record: Path | None,
    key: Path | None,
) -> None:
    """Refuse options of a release that do not go together.

    Raises:
        InputError: naming one of them.
    """
    require_one_of_microdata(asked.bit, asked.category)
    counted = "category" if asked.bit is None and asked.category is not None else "bit"
    bit, group, column, size = asked.bit or asked.category, asked.group, asked.column, asked.size
    if input is None:
        given = {
            "size": size,
            "column": column,
            counted: bit,
            "group": group,
            "unit-column": asked.unit_column,
            "key": key,
        }
        refuse_options(given, "--input", f"--data {request.name}")
    else:
        refuse_options({"target": request.target, "data-dir": request.folder, "n": request.n}, "--data", "--input")
    if (bit is None) != (group is None):
        raise InputError(f"--{counted} and --group go together, got --{counted if group is None else 'group'} alone")
    if bit is not None:
        refuse_options({"column": column, "size": size}, "a table of counts", f"--{counted}")
        refuse_options({"keep-true": keep_true or None}, "a table of counts", f"--{counted}")
    elif asked.unit_column is not None:
        raise InputError(f"--unit-column goes with --bit, got --unit-column {asked.unit_column} alone")
    elif input is not None and (mechanism is None) == (size is None):
        got = "neither" if size is None else "both"
        raise InputError(f"exactly one of --mechanism and --size must be given with a table of counts, got {got}")
    if keep_true and record is not None:
        raise InputError("--record goes with what is published, got it with --keep-true")


def read_designs(
    mechanism: Path | str | None,
    privacy: tuple[str | None, str | None],
    props: str | None,
    loss: str | None,
    prior: str | None,
    solver: str | None,
    time_limit: float | None,
    category: str | None = None,
) -> Designs:
    """Read by which mechanisms groups are released: those of a file, or a design for each size.

    Raises:
        InputError: for options that do not go together, or values out of range.
        RefusedError: naming the first false claim of a design document.
    """
    alpha, epsilon = privacy
    of_design = {"props": props, "loss": loss, "prior": prior, "solver": solver, "time-limit": time_limit}
    if isinstance(mechanism, str):
        _refuse_combined(of_design, mechanism)
        return _named_designs(mechanism, privacy_of_each(Privacy(alpha, epsilon), category))
    if mechanism is not None:
        require_no_file(category, mechanism)
        _refuse_combined({"alpha": alpha, "epsilon": epsilon, **of_design}, "FILE")
        return GivenMechanism.read(mechanism)
    asked = DesignRequest(
        privacy_of_each(Privacy(alpha, epsilon), category),
        USUAL_PROPERTIES if props is None else props,
        read_loss(USUAL_LOSS if loss is None else loss),
        read_prior(prior),
        "highs" if solver is None else solver,
        time_limit,
    )
    choose_solver(asked.solver)
    return DesignedSizes(asked)


def file_or_name(mechanism: str | None) -> Path | str | None:
    """Tell the file of a mechanism from a name of the catalog, which every group's size can have."""
    if mechanism is None or Path(mechanism).suffix.lower() in MATRIX_SUFFIXES or Path(mechanism).is_file():
        return None if mechanism is None else Path(mechanism)
    return mechanism


def file_of(mechanism: Path | str | None) -> Path | None:
    """Return the file of a mechanism; None for a name."""
    return mechanism if isinstance(mechanism, Path) else None


def _named_designs(name: str, privacy: Privacy) -> DesignedSizes:
    """Take a closed form or a named design of the catalog for each size.

    Raises:
        InputError: for an unknown name, with the nearest known one.
    """
    found = parse_candidate(name)
    if found.form is not None:
        return DesignedSizes(FormRequest(found.form, privacy))
    problem = found.problem(1, privacy.alpha, Loss.parse("L0"))
    assert problem is not None  # else it is a file
    return DesignedSizes(DesignRequest(privacy, ",".join(ordered(problem.properties)), problem.loss))


def _refuse_combined(given: Mapping[str, object | None], mechanism: str) -> None:
    names = [f"--{name}" for name, value in given.items() if value is not None]
    if names:
        listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        raise InputError(f"{listed} cannot be combined with --mechanism {mechanism}: its design is fixed")
