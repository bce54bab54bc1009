"""Options that state a design problem, and what is read from them."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mechdesign.documents.files import read_csv_matrix, read_weights
from mechdesign.errors import InputError
from mechdesign.formulas.problem import FormulaProblem
from mechdesign.names import require_known
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import MODELS, Model
from mechdesign.problem.prior import PRIOR_WORDS, Prior
from mechdesign.problem.privacy import Privacy
from mechdesign_cli.parsing import options
from mechdesign_cli.python_text import ENGINE, Code, NoPythonError, PythonText, ending
from mechdesign_cli.record import Group, option

NEEDED = {"count": {"n"}, "ldp": {"k"}, "lldp": {"k", "radius"}, "metric": {"distances"}}
ALLOWED = {**NEEDED, "metric": {"distances", "unit"}}


def model_of(name: str | None, distances: object, radius: object, k: object) -> str:
    """Return the name of the model: what was typed, else what follows from the options that only one model has."""
    if name is not None:
        return require_known(name, MODELS, "model")
    owners = {"metric": distances, "lldp": radius, "ldp": k}
    return next((model for model, given in owners.items() if given is not None), "count")


class Inputs(Group, title="Inputs"):
    """The inputs of a mechanism, and which of them are neighbours."""

    model: str | None = option(
        "count, ldp, lldp or metric: which inputs are neighbours; follows from --n, --k, --radius, --distances.",
        autocompletion=options.words(*MODELS),
    )
    radius: options.Radius = None
    distances: Path | None = option("metric: the matrix of distances.", metavar="CSV")
    unit: str | None = option("metric: the unit to which distances are rounded down.")

    def read(self, n: int | None = None, k: int | None = None) -> Model:
        """Read the model of so many people or items; refuse options that are missing, or that do not go with it."""
        name = self._checked({"n": n, "k": k, **self.arguments("model")})
        if name == "count":
            return Model.count(n if n is not None else 0)
        if name == "metric":
            assert self.distances is not None
            return Model.metric(read_csv_matrix(self.distances), self.unit)
        assert k is not None
        return Model.ldp(k) if self.radius is None else Model.lldp(k, self.radius)

    def read_for(self, size: int) -> Model | None:
        """Read the model of a matrix that is there already; None for counts.

        The matrix itself says how many inputs there are.
        """
        if not self.arguments():
            return None
        name = model_of(self.model, self.distances, self.radius, None)
        sizes = {"count": {"n": size - 1}, "metric": {}}.get(name, {"k": size})
        return replace(self, model=name).read(**sizes)

    def _checked(self, values: Mapping[str, object]) -> str:
        given = {name for name, value in values.items() if value is not None}
        model = model_of(self.model, self.distances, self.radius, values["k"])
        if self.model is None and not given:
            raise InputError("give --n for counts or --k for items, got neither")
        if self.model is None and "n" in given and model != "count":
            source = next(name for name in ("distances", "radius", "k") if name in given)
            raise InputError(f"--n goes with counts, --{source} with items, got both; leave one out")
        for name in ("n", "k", "radius", "distances", "unit"):
            if name in given and name not in ALLOWED[model]:
                owners = " or ".join(one for one in MODELS if name in ALLOWED[one])
                away = f"; leave --{name} out" if self.model is None else f"; leave --{name} or --model out"
                raise InputError(f"--{name} goes with --model {owners}, got it with --model {model}{away}")
            if name not in given and name in NEEDED[model]:
                raise InputError(f"--{name} must be given for --model {model}, got none")
        return model

    def python(self, text: PythonText, items: object) -> Code | None:
        """Write the model on so many items; None for counts.

        Raises:
            NoPythonError: where it has no number of items, or no distances.
        """
        name = model_of(self.model, self.distances, self.radius, items)
        if name == "count":
            return None
        values = {"metric": (self.distances, self.unit), "ldp": (items,), "lldp": (items, self.radius)}[name]
        if values[0] is None or (name == "lldp" and self.radius is None):
            raise NoPythonError(f"model {name}")
        text.use(ENGINE, "Model")
        if name == "metric":
            text.use(ENGINE, "read_matrix")
            values = (Code(f"read_matrix({str(self.distances)!r}).rows"), self.unit)
        return Code(f"Model.{name}({', '.join(repr(value) for value in values if value is not None)})")


class Objective(Group, title="Objective"):
    """The objective of a design: what it has least of."""

    loss: str = option(
        "Lp or Lp:d (L0, L1, L2, L0:1), PB:TAU (TAU a step below the truth, 1 - TAU above), or a CSV file.",
        default="L0",
    )
    prior: options.PriorOption = None
    aggregate: options.Aggregate = "expected"

    @property
    def has_prior(self) -> bool:
        """Whether a prior is asked for that is not uniform."""
        return (self.prior or "uniform").strip().lower() != "uniform"

    def problem(self, model: Model, privacy: Privacy, properties: str) -> DesignProblem:
        """Make the problem that the options state."""
        return DesignProblem(privacy=privacy, **self._stated(model, properties))

    def formula_problem(self, model: Model, properties: str) -> FormulaProblem:
        """Make the problem that the options state for every alpha."""
        return FormulaProblem.stated(**self._stated(model, properties))

    def _stated(self, model: Model, properties: str) -> dict[str, Any]:
        require_no_prior(self.aggregate, self.prior)
        loss, prior = read_loss(self.loss), read_prior(self.prior)
        return {"model": model, "properties": properties, "loss": loss, "prior": prior, "aggregate": self.aggregate}

    def python(self, text: PythonText) -> dict[str, object]:
        """Write what `DesignProblem` takes of it."""
        given = self.arguments()
        more = {"loss": loss_python(text, given.get("loss")), "prior": prior_python(text, self.prior)}
        return given | {name: value for name, value in more.items() if name in given}


def require_no_prior(aggregate: str, prior: str | None) -> None:
    """Refuse a prior beside the worst case, which has none."""
    if aggregate == "worst" and prior is not None:
        raise InputError(f"--aggregate worst must have no prior, got --prior {prior}; leave it out")


def files_read(distances: Path | None, *texts: str | None) -> list[Path]:
    """List the files that options name, for a loss, a prior or an oracle that may also be a word."""
    named = [Path(text) for text in texts if text is not None and text.partition(":")[0].lower() not in PRIOR_WORDS]
    return [path for path in [distances, *named] if path is not None and path.is_file()]


def read_loss(text: str) -> Loss:
    """Read a loss: `Lp`, `Lp:d`, `PB:TAU`, or the CSV file of that name."""
    path = Path(text)
    if path.suffix.lower() == ".csv" or path.is_file():
        return Loss.from_matrix(tuple(tuple(row) for row in read_csv_matrix(path)))
    return Loss.parse(text)


def loss_python(text: PythonText, loss: str | None) -> object:
    """Write a loss as Python takes it: its name, or the matrix of a file."""
    if loss is None or ending(loss) != ".csv":
        return loss
    text.use(ENGINE, "Loss")
    text.use(ENGINE, "read_matrix")
    return Code(f"Loss.from_matrix(read_matrix({loss!r}).rows)")


def read_prior(text: str | None) -> Prior:
    """Read a prior: `uniform`, `binomial:P`, `weights:W,W,...`, or the file of that name."""
    if text is None:
        return Prior.parse("uniform")
    path = Path(text)
    if text.strip().partition(":")[0].lower() not in PRIOR_WORDS and (path.suffix or path.is_file()):
        return Prior.from_weights(read_weights(path))
    return Prior.parse(text)


def prior_python(text: PythonText, prior: str | None) -> object:
    """Write a prior as Python takes it: its name, or the weights of a file; None for the uniform one.

    Raises:
        NoPythonError: for a file without an ending.
    """
    if prior is None or prior.strip().partition(":")[0].lower() in PRIOR_WORDS:
        return None if prior == "uniform" else prior
    if not ending(prior):
        raise NoPythonError("a prior in a file without an ending")
    text.use(ENGINE, "Prior")
    text.use("pathlib", "Path")
    return Code(f'Prior.from_weights(Path({prior!r}).read_text().replace(",", " ").split())')
