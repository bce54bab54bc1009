"""Read the options of a release that say what is released, and by which mechanisms."""

from pathlib import Path

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.program.solvers.choice import choose_solver
from mechdesign.releases.designing import USUAL_LOSS, USUAL_PROPERTIES, DesignedSizes, DesignRequest, GivenMechanism
from mechdesign_cli.files.released_data import ReleasedData
from mechdesign_cli.parsing.choices import read_loss, read_prior
from mechdesign_cli.parsing.data_options import refuse_options

Designs = DesignedSizes | GivenMechanism


def require_form(
    request: ReleasedData,
    input: Path | None,
    bit: str | None,
    group: str | None,
    unit_column: str | None,
    column: str | None,
    size: str | None,
    mechanism: Path | None,
    keep_true: bool,
    record: Path | None,
    key: Path | None,
) -> None:
    """Refuse options of a release that do not go together.

    Raises:
        InputError: naming one of them.
    """
    if input is None:
        given = {"size": size, "column": column, "bit": bit, "group": group, "unit-column": unit_column, "key": key}
        refuse_options(given, "--input", f"--data {request.name}")
    else:
        refuse_options({"target": request.target, "data-dir": request.folder, "n": request.n}, "--data", "--input")
    if (bit is None) != (group is None):
        raise InputError(f"--bit and --group go together, got --{'bit' if group is None else 'group'} alone")
    if bit is not None:
        refuse_options({"column": column, "size": size}, "a table of counts", "--bit")
        refuse_options({"keep-true": keep_true or None}, "a table of counts", "--bit")
    elif unit_column is not None:
        raise InputError(f"--unit-column goes with --bit, got --unit-column {unit_column} alone")
    elif input is not None and (mechanism is None) == (size is None):
        got = "neither" if size is None else "both"
        raise InputError(f"exactly one of --mechanism and --size must be given with a table of counts, got {got}")
    if keep_true and record is not None:
        raise InputError("--record goes with what is published, got it with --keep-true")


def read_designs(
    mechanism: Path | None,
    privacy: tuple[str | None, str | None],
    props: str | None,
    loss: str | None,
    prior: str | None,
    solver: str | None,
    time_limit: float | None,
) -> Designs:
    """Read by which mechanisms groups are released: those of a file, or a design for each size.

    Raises:
        InputError: for options that do not go together, or values out of range.
        RefusedError: naming the first false claim of a design document.
    """
    if mechanism is not None:
        if (*privacy, props, loss, prior, solver, time_limit) != (None,) * 7:
            raise InputError("design options go without --mechanism, got one beside it, which is designed already")
        return GivenMechanism.read(mechanism)
    alpha, epsilon = privacy
    asked = DesignRequest(
        Privacy(alpha, epsilon),
        USUAL_PROPERTIES if props is None else props,
        read_loss(USUAL_LOSS if loss is None else loss),
        read_prior(prior),
        "highs" if solver is None else solver,
        time_limit,
    )
    choose_solver(asked.solver)
    return DesignedSizes(asked)
