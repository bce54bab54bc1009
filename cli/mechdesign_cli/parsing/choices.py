"""Make a design problem of option texts."""

from dataclasses import dataclass
from pathlib import Path

from mechdesign.documents.files import read_csv_matrix, read_weights
from mechdesign.errors import InputError
from mechdesign.names import require_known
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import MODELS, Model
from mechdesign.problem.prior import PRIOR_WORDS, Prior
from mechdesign.problem.privacy import Privacy

NEEDED = {"count": {"n"}, "ldp": {"k"}, "lldp": {"k", "radius"}, "metric": {"distances"}}
ALLOWED = {**NEEDED, "metric": {"distances", "unit"}}


def model_of(name: str | None, distances: object, radius: object, k: object) -> str:
    """Return the name of the model: what was typed, else what follows from the options that only one model has."""
    if name is not None:
        return require_known(name, MODELS, "model")
    owners = {"metric": distances, "lldp": radius, "ldp": k}
    return next((model for model, given in owners.items() if given is not None), "count")


@dataclass(frozen=True)
class ModelRequest:
    """The options that say what the inputs are."""

    name: str | None = None
    n: int | None = None
    k: int | None = None
    radius: int | None = None
    distances: Path | None = None
    unit: str | None = None

    def read(self) -> Model:
        """Read the model, and refuse options that are missing, or that do not go with it."""
        name = self._checked()
        if name == "count":
            return Model.count(self.n if self.n is not None else 0)
        if name == "metric":
            assert self.distances is not None
            return Model.metric(read_csv_matrix(self.distances), self.unit)
        assert self.k is not None
        return Model.ldp(self.k) if self.radius is None else Model.lldp(self.k, self.radius)

    def read_for(self, size: int) -> Model | None:
        """Read the model of a matrix that is there already; None for counts.

        The matrix itself says how many inputs there are.
        """
        if self.name is None and self == ModelRequest():
            return None
        name = model_of(self.name, self.distances, self.radius, self.k)
        fitted = {"count": {"n": size - 1}, "metric": {}}.get(name, {"k": size})
        return ModelRequest(name, **fitted, radius=self.radius, distances=self.distances, unit=self.unit).read()

    def _checked(self) -> str:
        name = model_of(self.name, self.distances, self.radius, self.k)
        if self == ModelRequest():
            raise InputError("give --n for counts or --k for items, got neither")
        if self.name is None and self.n is not None and name != "count":
            source = next(option for option in ("distances", "radius", "k") if getattr(self, option) is not None)
            raise InputError(f"--n goes with counts, --{source} with items, got both; leave one out")
        for option in ("n", "k", "radius", "distances", "unit"):
            given = getattr(self, option) is not None
            if given and option not in ALLOWED[name]:
                owners = " or ".join(model for model in MODELS if option in ALLOWED[model])
                away = f"; leave --{option} out" if self.name is None else f"; leave --{option} or --model out"
                raise InputError(f"--{option} goes with --model {owners}, got it with --model {name}{away}")
            if not given and option in NEEDED[name]:
                raise InputError(f"--{option} must be given for --model {name}, got none")
        return name


def files_read(distances: Path | None, *texts: str | None) -> list[Path]:
    """List the files that options name, for a loss or a prior that may also be a word."""
    named = [Path(text) for text in texts if text is not None and text.partition(":")[0].lower() not in PRIOR_WORDS]
    return [path for path in [distances, *named] if path is not None and path.is_file()]


def read_loss(text: str) -> Loss:
    """Read a loss: `Lp`, `Lp:d`, `PB:TAU`, or the CSV file of that name."""
    path = Path(text)
    if path.suffix.lower() == ".csv" or path.is_file():
        return Loss.from_matrix(tuple(tuple(row) for row in read_csv_matrix(path)))
    return Loss.parse(text)


def read_prior(text: str | None) -> Prior:
    """Read a prior: `uniform`, `binomial:P`, `weights:W,W,...`, or the file of that name."""
    if text is None:
        return Prior.parse("uniform")
    path = Path(text)
    if text.strip().partition(":")[0].lower() not in PRIOR_WORDS and (path.suffix or path.is_file()):
        return Prior.from_weights(read_weights(path))
    return Prior.parse(text)


def read_problem(
    model: Model,
    privacy: Privacy,
    props: str,
    loss: str,
    prior: str | None,
    aggregate: str = "expected",
) -> DesignProblem:
    """Make the problem that the options state."""
    if aggregate == "worst" and prior is not None:
        raise InputError(f"--aggregate worst must have no prior, got --prior {prior}; leave it out")
    return DesignProblem(
        model=model,
        privacy=privacy,
        properties=props,
        loss=read_loss(loss),
        prior=read_prior(prior),
        aggregate=aggregate,
    )
