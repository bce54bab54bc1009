"""SPL, SMP and RS+FD for `mechdesign catalog`: what is claimed, what a report reveals."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from mechdesign.documents.tabular import Column, Table, words
from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy, loss_text, require_privacy, rounded_up
from mechdesign.rational import fraction_text
from mechdesign_catalog.systems.attributes import LossRow, TupleForm, advice, loss_rows
from mechdesign_catalog.systems.attributes.loss import Losses
from mechdesign_cli.showing.messages import entries_of, print_result, say
from mechdesign_cli.showing.tables import console, print_table

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
    print_result(json, document, _report, form, claimed, rows)


def _report(form: TupleForm, privacy: Privacy, rows: Sequence[LossRow]) -> None:
    sizes = ", ".join(str(k) for k in rows[0].oracle.domains)
    console().print(f"{form.name}: {form.title}; items {sizes}; {privacy.describe()}")
    print_table(loss_table(rows))
    say(advice(rows))
    say(f"{form.reference}.")


def read_domains(text: str) -> list[int]:
    """Read `3,4`: the number of items of each attribute."""
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if not re.fullmatch(r"[0-9]{1,12}", word):
            raise InputError(
                f"domains must be whole numbers separated by commas, such as 3,4, got {shorten(word) or 'none'}"
            )
    if len(words) > MAX_ATTRIBUTES:
        raise InputError(f"domains must be at most {MAX_ATTRIBUTES}, got {len(words)}")
    return [int(word) for word in words]


def loss_table(rows: Sequence[LossRow]) -> Table:
    """Return a table with one line for each way to use the mechanism.

    Encodings are one for each attribute, or one for all.
    """
    losses, encodings = [row.losses for row in rows], [row.oracle.encodings for row in rows]
    columns = [
        words("", [row.label for row in rows]),
        Column("claimed", [found.claimed.epsilon_text() for found in losses]),
        Column("amplified", ["-" if row.amplified is None else rounded_up(Fraction(row.amplified)) for row in rows]),
        Column("one attribute", [loss_text(found.one_attribute_alpha) for found in losses]),
        Column("whole tuple", [loss_text(found.whole_tuple_alpha) for found in losses]),
        words("encodings", [", ".join(each if len(set(each)) > 1 else each[:1]) for each in encodings]),
        Column("reports seen", ["none" if found.outputs is None else f"all {found.outputs}" for found in losses]),
    ]
    return Table.of_columns([replace(column, folds=True) for column in columns])


def document(form: TupleForm, privacy: Privacy, rows: Sequence[LossRow]) -> dict[str, Any]:
    """Return the losses as a JSON document; alphas are exact, `alpha = e^-loss`."""
    return {
        **entries_of(form, "name", "title", "reference"),
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
                **{of: _loss_entry(row.losses, of) for of in ("one_attribute", "whole_tuple")},
                "enumerated_reports": row.losses.outputs,
            }
            for row in rows
        ],
    }


def _loss_entry(losses: Losses, of: str) -> dict[str, Any]:
    loss, alpha, holds = (getattr(losses, f"{of}{part}") for part in ("", "_alpha", "_holds"))
    return {"loss": loss, "alpha": fraction_text(alpha), "claim_holds": holds}
