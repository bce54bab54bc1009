"""Run `mechdesign catalog`: list the closed forms and the mechanisms for tuples, or show one.

Mechanisms for tuples are shown with what they really lose.
"""

import json as json_module
from typing import Annotated

import typer

from mechdesign.documents.storage import EXPORT_SUFFIXES
from mechdesign.errors import InputError
from mechdesign.names import require_known
from mechdesign.problem.privacy import privacy_if_given
from mechdesign.rational import number_text
from mechdesign_catalog.mechanisms.closed_forms import CLOSED_FORMS, ClosedForm, closed_form
from mechdesign_catalog.multidimensional import TUPLE_FORMS, TupleForm, tuple_form
from mechdesign_cli.commands.designs.solve import deliver
from mechdesign_cli.files.targets import require_targets
from mechdesign_cli.parsing import options
from mechdesign_cli.showing.messages import say
from mechdesign_cli.showing.tables import console, facts
from mechdesign_cli.showing.tuple_losses import show_losses


def catalog(
    name: Annotated[
        str | None, typer.Argument(help="GM, EM, UM, RR, EXP, GRR, SPL, SMP or RS+FD; leave it out for the list.")
    ] = None,
    n: options.OptionalGroupSize = None,
    k: options.DomainSize = None,
    alpha: options.Alpha = None,
    epsilon: options.Epsilon = None,
    domains: Annotated[
        str | None, typer.Option("--domains", help="SPL, SMP, RS+FD: number of items of each attribute, as 3,4.")
    ] = None,
    output: options.Outputs = None,
    plot: options.Plot = None,
    fractions: options.Fractions = False,
    json: options.Json = False,
) -> None:
    """Show a closed form with its exact score, or a method for several attributes with its losses.

    The methods for several attributes (SPL, SMP, RS+FD) are shown with what they claim to lose and what they really
    lose.

    Example: mechdesign catalog GM --n 8 --alpha 0.9 --output gm.csv
    """
    if name is None:
        if any(option not in (None, []) for option in (n, k, alpha, epsilon, domains, output, plot, fractions or None)):
            raise InputError("catalog must have a name to show one, got options alone; try mechdesign catalog GM")
        list_shelf(json)
        return
    if (row := tuple_form(name)) is not None:
        unwanted = {"n": n, "k": k, "output": output, "plot": plot, "fractions": fractions or None}
        show_losses(
            row,
            domains,
            privacy_if_given(alpha, epsilon),
            [option for option, value in unwanted.items() if value not in (None, [])],
            json,
        )
        return
    form = CLOSED_FORMS[require_known(name, [*CLOSED_FORMS, *TUPLE_FORMS], "mechanism")]
    if domains is not None:
        raise InputError(f"--domains goes with {', '.join(TUPLE_FORMS)}, got it with {form.name}")
    require_targets(output or [], plot, [], EXPORT_SUFFIXES)
    made = closed_form(form.name, n=n, k=k, alpha=alpha, epsilon=epsilon)
    title = f"{form.name}, {made.problem.model.describe()}, alpha = {number_text(made.problem.alpha)}"
    deliver(made, output, plot, json, title=title, fractions=fractions)
    if not json:
        say(f"{form.name}: {form.title}. Has {form.properties}. {form.reference}.")


def list_shelf(json: bool) -> None:
    """Print name, model, parameters, properties and reference of each mechanism."""
    forms: list[ClosedForm | TupleForm] = [*CLOSED_FORMS.values(), *TUPLE_FORMS.values()]
    if json:
        rows = [
            {
                "name": form.name,
                "title": form.title,
                "model": form.model,
                "parameters": form.parameters,
                "properties": form.properties,
                "reference": form.reference,
            }
            for form in forms
        ]
        print(json_module.dumps({"mechanisms": rows}, indent=1))
        return
    screen = console()
    for form in forms:
        screen.print(f"{form.name}  {form.title}", style="bold")
        details = [
            ("    model", form.model),
            ("    parameters", form.parameters),
            ("    properties", form.properties),
            ("    reference", form.reference),
        ]
        screen.print(facts(details, screen.width))
