"""The command `mechdesign catalog`: closed forms, and mechanisms for tuples.

Mechanisms for tuples are shown with what they really lose.
"""

from mechdesign.errors import InputError
from mechdesign.names import require_known
from mechdesign.rational import number_text
from mechdesign_catalog.mechanisms.closed_forms import CLOSED_FORMS, ClosedForm, closed_form
from mechdesign_catalog.systems.attributes import TUPLE_FORMS, TupleForm, tuple_form
from mechdesign_cli.files.design_output import DesignOutput
from mechdesign_cli.parsing import options
from mechdesign_cli.python_text import CATALOG, NoPythonError, PythonText
from mechdesign_cli.record import Command, argument, option
from mechdesign_cli.showing.messages import entries_of, print_result, say
from mechdesign_cli.showing.tables import print_entry
from mechdesign_cli.showing.tuple_losses import show_losses


class Catalog(Command):
    """A closed form is shown with its exact score.

    The methods for several attributes (SPL, SMP, RS+FD) are shown with the privacy loss that they claim, and the one
    that they really have. Systems for reports of users are listed by mechdesign local oracles.

    Example: mechdesign catalog GM --n 8 --alpha 0.9 --output gm.csv
    """

    name: str | None = argument("GM, EM, UM, RR, EXP, GRR, SPL, SMP or RS+FD; leave it out for the list.")
    n: options.OptionalGroupSize = None
    k: options.DomainSize = None
    domains: str | None = option("SPL, SMP, RS+FD: number of items of each attribute, such as 3,4.")
    privacy: options.PrivacyOptions
    files: DesignOutput

    def run(self) -> None:
        """Show the mechanism, or list all; write the files."""
        given = self.given("name", "json")
        if self.name is None:
            if given:
                raise InputError("NAME must be given with options, got options alone; try mechdesign catalog GM")
            list_mechanisms(self.files.json)
            return
        if (row := tuple_form(self.name)) is not None:
            unwanted = [option for option in ("n", "k", "output", "plot", "fractions") if option in given]
            show_losses(row, self.domains, self.privacy.read_if_given(), unwanted, self.files.json)
            return
        form = CLOSED_FORMS[require_known(self.name, [*CLOSED_FORMS, *TUPLE_FORMS], "mechanism")]
        if self.domains is not None:
            raise InputError(f"--domains goes with {', '.join(TUPLE_FORMS)}, got it with {form.name}")
        self.files.require_targets([])
        made = closed_form(form.name, **self.arguments("name"), **self.privacy.arguments())
        title = f"{form.name}, {made.problem.model.describe()}, alpha = {number_text(made.problem.alpha)}"
        self.files.deliver(made, title)
        if not self.files.json:
            say(f"{form.name}: {form.title}. Has {form.properties}. {form.reference}.")

    def python(self, text: PythonText) -> None:
        """Write a mechanism of the catalog, or the list of them."""
        if self.name is None:
            text.use(CATALOG, "CLOSED_FORMS")
            text.add("for name, form in CLOSED_FORMS.items():", "    print(name, form.title)")
            return
        if tuple_form(self.name) is not None:
            raise NoPythonError(self.name)
        form = text.use(CATALOG, "closed_form")
        text.call("result", form, self.name, **self.arguments("name"), **self.privacy.arguments())
        self.files.python(text)


def list_mechanisms(json: bool) -> None:
    """Print name, model, parameters, properties and reference of each mechanism."""
    forms: list[ClosedForm | TupleForm] = [*CLOSED_FORMS.values(), *TUPLE_FORMS.values()]
    details = ("model", "parameters", "properties", "reference")

    def show() -> None:
        for form in forms:
            print_entry(f"{form.name}  {form.title}", entries_of(form, *details))

    print_result(json, lambda: {"mechanisms": [entries_of(form, "name", "title", *details) for form in forms]}, show)
