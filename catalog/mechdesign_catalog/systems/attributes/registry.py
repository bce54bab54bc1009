"""Mechanisms for tuples by name, with what a person should know of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from mechdesign.names import require_known
from mechdesign.problem.privacy import Privacy, loss_text
from mechdesign_catalog.randomizers.oracle import LocalOracle
from mechdesign_catalog.systems.attributes.loss import Losses, losses
from mechdesign_catalog.systems.attributes.one_way import TupleOracle
from mechdesign_catalog.systems.attributes.rsfd import ENCODINGS, RsFd
from mechdesign_catalog.systems.attributes.smp import Smp
from mechdesign_catalog.systems.attributes.spl import Spl


@dataclass(frozen=True)
class TupleForm:
    """A mechanism for tuples: a row of the list."""

    name: str
    title: str
    properties: str
    reference: str
    model: str = "ldp, d attributes"
    parameters: str = "k_1..k_d, alpha or epsilon"


TUPLE_CLASSES: tuple[type[Spl | Smp | RsFd], ...] = (Spl, Smp, RsFd)

TUPLE_FORMS: dict[str, TupleForm] = {
    form.name: form
    for form in (
        TupleForm(kind.name.upper(), kind.summary, kind.properties, "; ".join(one.short for one in kind.sources))
        for kind in TUPLE_CLASSES
    )
}
ALIASES = {"RSFD": "RS+FD"}
LABELS = {"grr": "GRR", "oue-z": "OUE-z", "adp": "ADP"}


def tuple_form(name: str) -> TupleForm | None:
    """Find the row of that name, in any case; None where it is none of these."""
    word = name.strip().upper()
    return TUPLE_FORMS.get(ALIASES.get(word, word))


def make_tuple_oracle(name: str, domains: Sequence[int], privacy: Privacy, encoding: str = "adp") -> TupleOracle:
    """Make an oracle for several attributes: SPL, SMP or RS+FD; `encoding` (grr, oue-z, adp) is for RS+FD only.

    Raises:
        InputError: for another name.
    """
    form = tuple_form(name) or TUPLE_FORMS[require_known(name, TUPLE_FORMS, "mechanism for tuples")]
    if form.name == "RS+FD":
        return RsFd(tuple(domains), privacy, encoding.lower())
    return Spl(tuple(domains), privacy) if form.name == "SPL" else Smp(tuple(domains), privacy)


@dataclass(frozen=True)
class LossRow:
    """The privacy losses of one way to use an oracle for several attributes."""

    label: str
    oracle: TupleOracle
    losses: Losses

    @property
    def amplified(self) -> float | None:
        """Budget that the one real report is made with, where it is more than the claim."""
        return self.oracle.amplified_epsilon if isinstance(self.oracle, RsFd) else None


def loss_rows(name: str, domains: Sequence[int], privacy: Privacy) -> list[LossRow]:
    """Work out what an oracle for several attributes really loses: one row, or one for each encoding of RS+FD."""
    form = tuple_form(name)
    form_name = form.name if form is not None else name
    encodings = ENCODINGS if form_name == "RS+FD" else ("",)
    rows = []
    for encoding in encodings:
        oracle = make_tuple_oracle(name, domains, privacy, encoding or "adp")
        rows.append(LossRow(LABELS.get(encoding, form_name), oracle, losses(oracle)))
    return rows


def advice(rows: Sequence[LossRow]) -> str:
    """Write one or two plain sentences on whether the claim is true."""
    claimed = rows[0].losses.claimed.epsilon_text()
    if all(row.losses.whole_tuple_holds for row in rows):
        return f"The claim holds: whatever a user's tuple is, a report tells at most {claimed} about it."
    broken = [row.label for row in rows if not row.losses.whole_tuple_holds]
    attribute = [row.label for row in rows if not row.losses.one_attribute_holds]
    text = (
        f"Warning: this is NOT {claimed}-LDP for whole tuples: a report can tell "
        f"{loss_text(min(row.losses.whole_tuple_alpha for row in rows))} about a user ({', '.join(broken)})."
    )
    if attribute:
        worst = loss_text(min(row.losses.one_attribute_alpha for row in rows))
        text += f" With {' and '.join(attribute)} even a change of one attribute shows with {worst}."
    return text + " SPL and SMP keep their claim."


def stated_loss(oracle: LocalOracle) -> str | None:
    """Say what a report of SPL, SMP or RS+FD really tells, and whether the claim is true; None for other oracles."""
    if not isinstance(oracle, Spl | Smp | RsFd):
        return None
    row = LossRow(oracle.title, oracle, losses(oracle))
    whole, one = loss_text(row.losses.whole_tuple_alpha), loss_text(row.losses.one_attribute_alpha)
    return (
        f"{oracle.title}, {len(oracle.domains)} attributes: a report tells {whole} about a user's whole tuple, {one} "
        f"about one attribute. {advice([row])}"
    )
