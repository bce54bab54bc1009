"""Options of a release that say by which mechanisms it is drawn."""

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
from mechdesign.releases.files import privacy_of_each, require_no_file
from mechdesign_catalog.mechanisms.candidates import parse_candidate
from mechdesign_catalog.mechanisms.closed_forms import CLOSED_FORMS, certified_form
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.choices import loss_python, prior_python, read_loss, read_prior
from mechdesign_cli.python_text import NoPythonError, PythonText
from mechdesign_cli.record import Group, option

Designs = DesignedSizes | GivenMechanism


@dataclass(frozen=True)
class FormRequest:
    """A closed form of the catalog for each size, with a proof of its distance from the best."""

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


class ReleaseDesigns(Group, title="The design"):
    """The mechanisms of a release: that of a file, or one designed for each size."""

    mechanism: str | None = option("A name such as GM, made for each size; or a FILE, for groups of one size.")
    privacy: options.PrivacyOptions
    properties: str | None = option(f"Properties of the designs (default {USUAL_PROPERTIES}).", "--props")
    loss: str | None = option(f"Loss of the designs, as in solve (default {USUAL_LOSS}).")
    prior: options.PriorOption = None
    solver: str | None = option("highs, or cvxpy:NAME such as cvxpy:CLARABEL.")
    time_limit: options.TimeLimit = None

    @property
    def file(self) -> Path | None:
        """The file of the mechanism; None without one, and for a name of the catalog."""
        path = None if self.mechanism is None else Path(self.mechanism)
        return path if path is not None and (path.suffix.lower() in MATRIX_SUFFIXES or path.is_file()) else None

    def read(self, category: str | None) -> Designs:
        """Read the mechanisms; of a `category` each draw has half of the privacy.

        Raises:
            InputError: for options that do not go together, or values out of range.
            RefusedError: naming the first false claim of a design document.
        """
        if self.file is not None:
            require_no_file(category, self.file)
            self._refuse_others("FILE")
            return GivenMechanism.read(self.file)
        if self.mechanism is not None:
            self._refuse_others(self.mechanism, "alpha", "epsilon")
            return _named_designs(self.mechanism, self._privacy(category))
        privacy, given = self._privacy(category), self.arguments("mechanism", "loss", "prior")
        loss = read_loss(USUAL_LOSS if self.loss is None else self.loss)
        asked = DesignRequest(privacy, loss=loss, prior=read_prior(self.prior), **given)
        choose_solver(asked.solver)
        return DesignedSizes(asked)

    def python(self, text: PythonText) -> dict[str, object]:
        """Return the arguments of `release_file`.

        Raises:
            NoPythonError: for a mechanism by its name, which the command alone takes.
        """
        if self.mechanism is not None and self.file is None:
            raise NoPythonError("mechanism")
        plain = self.arguments("loss", "prior", "solver", "time_limit") | self.privacy.arguments()
        return {**plain, "loss": loss_python(text, self.loss), "prior": prior_python(text, self.prior)}

    def _privacy(self, category: str | None) -> Privacy:
        return privacy_of_each(Privacy(self.privacy.alpha, self.privacy.epsilon), category)

    def _refuse_others(self, mechanism: str, *but: str) -> None:
        """Refuse what a design has of its own."""
        if names := [f"--{name}" for name in self.given("mechanism", *but)]:
            listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
            raise InputError(f"{listed} cannot be combined with --mechanism {mechanism}: its design is fixed")


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
