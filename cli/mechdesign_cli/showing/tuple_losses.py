"""Show SPL, SMP and RS+FD for `mechdesign catalog`: what is claimed, and what a report really tells."""

import json as json_module
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rich.table import Table

from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy, loss_text, require_privacy, rounded_up
from mechdesign.rational import fraction_text
from mechdesign_catalog.multidimensional import LossRow, TupleForm, advice, loss_rows
from mechdesign_cli.showing.messages import say
from mechdesign_cli.showing.tables import console

MAX_ATTRIBUTES = 1000


def show_losses(
    form: TupleForm, domains: str | None, privacy: Privacy | None, unwanted: Sequence[str], json: bool
) -> None:
    """Print the claimed, amplified, one-attribute and whole-tuple loss, and a plain sentence about them.

    Raises:
        InputError: for an option that this mechanism does not have, or one that it needs and does not get.
    """
    if unwanted:
        raise InputError(f"{form.name} must have --domains, and --alpha or --epsilon, got --{unwanted[0]}")
    if domains is None:
        raise InputError(f"domains must be given for {form.name}, got none; try --domains 3,4")
    claimed = require_privacy(privacy)
    rows = loss_rows(form.name, read_domains(domains), claimed)
    if json:
        print(json_module.dumps(document(form, claimed, rows), indent=1))
        return
    screen = console()
    sizes = ", ".join(str(k) for k in rows[0].oracle.domains)
    screen.print(f"{form.name}: {form.title}; items {sizes}; {claimed.describe()}")
    screen.print(loss_table(rows))
    say(advice(rows))
    say(f"{form.reference}.")


def read_domains(text: str) -> list[int]:
    """Read `3,4`: the number of items of each attribute."""
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if not re.fullmatch(r"[0-9]{1,12}", word):
            raise InputError(
                f"domains must be whole numbers with commas between them, as 3,4, got {shorten(word) or 'none'}"
            )
    if len(words) > MAX_ATTRIBUTES:
        raise InputError(f"domains must be at most {MAX_ATTRIBUTES}, got {len(words)}")
    return [int(word) for word in words]


def loss_table(rows: Sequence[LossRow]) -> Table:
    """Return a table with one line for each way to use the mechanism.

    Encodings are one for each attribute, or one for all.
    """
    table = Table(box=None, pad_edge=False)
    for title in ("", "claimed", "amplified", "one attribute", "whole tuple", "encodings", "reports seen"):
        table.add_column(title, justify="left" if title in ("", "encodings") else "right", overflow="fold")
    for row in rows:
        found = row.losses
        table.add_row(
            row.label,
            found.claimed.epsilon_text(),
            "-" if row.amplified is None else rounded_up(Fraction(row.amplified)),
            loss_text(found.one_attribute_alpha),
            loss_text(found.whole_tuple_alpha),
            ", ".join(row.oracle.encodings if len(set(row.oracle.encodings)) > 1 else row.oracle.encodings[:1]),
            "none" if found.outputs is None else f"all {found.outputs}",
        )
    return table


def document(form: TupleForm, privacy: Privacy, rows: Sequence[LossRow]) -> dict[str, Any]:
    """Return the losses as a JSON document; alphas are exact, `alpha = e^-loss`."""
    return {
        "name": form.name,
        "title": form.title,
        "reference": form.reference,
        "domains": list(rows[0].oracle.domains),
        "alpha": fraction_text(privacy.alpha),
        "epsilon": privacy.epsilon,
        "advice": advice(rows),
        "rows": [
            {
                "label": row.label,
                "encodings": list(row.oracle.encodings),
                "bits": row.oracle.mean_bits,
                "claimed": row.losses.claimed.epsilon,
                "amplified": row.amplified,
                "one_attribute": {
                    "loss": row.losses.one_attribute,
                    "alpha": fraction_text(row.losses.one_attribute_alpha),
                    "claim_holds": row.losses.one_attribute_holds,
                },
                "whole_tuple": {
                    "loss": row.losses.whole_tuple,
                    "alpha": fraction_text(row.losses.whole_tuple_alpha),
                    "claim_holds": row.losses.whole_tuple_holds,
                },
                "enumerated_reports": row.losses.outputs,
            }
            for row in rows
        ],
    }
