"""Describe what a collection is about: the oracle that users report with, and the items that they have."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mechdesign.errors import InputError, shorten
from mechdesign_catalog.datasets.attributes import Attributes, listed_names
from mechdesign_catalog.datasets.items.bins import parse_grid
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.oracles import headers
from mechdesign_catalog.oracles.reports import Parameters, require_same

FORMAT = "mechdesign-task/1"
MOST_CHARACTERS = 1_000_000
"""Items travel along as long as they have no more characters together."""


@dataclass(frozen=True)
class Task:
    """Hold what all reports of a collection share: the oracle's parameters, and the domain.

    `domain_digest` is the SHA-256 of the items (`Domain.digest`), bins or attributes, empty for an oracle of numbers;
    `items` is None where they are too many to travel along, or have no names. `bins` are the texts that make the items
    where these are bins: one, or two for pairs of bins. `attributes` are those of users who have an item of each, left
    out where they are too many letters; `columns` are their names in any case. `ordered` says that the order of the
    items means something.
    """

    parameters: Parameters
    domain_digest: str = ""
    items: tuple[str, ...] | None = None
    bins: tuple[str, ...] = ()
    ordered: bool = False
    attributes: Attributes | None = None
    columns: tuple[str, ...] = ()

    @property
    def oracle(self) -> str:
        """The name of the oracle."""
        return str(self.parameters.get("oracle", ""))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what makes the task, as JSON: items and attributes count by their digest alone.

        So the digest is the same whether they travel along or not. Keys are sorted, and there are no blanks.
        """
        domain = {"sha256": self.domain_digest, "ordered": self.ordered, "columns": list(self.columns)}
        body = {"format": FORMAT, "parameters": self.parameters, "domain": domain}
        return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def body(self) -> dict[str, Any]:
        """Return what a file says of the task, as JSON has it."""
        return {
            "parameters": self.parameters,
            "domain": {
                "sha256": self.domain_digest,
                "items": None if self.items is None else list(self.items),
                "bins": list(self.bins),
                "ordered": self.ordered,
                "attributes": _listed(self.attributes),
                "columns": list(self.columns),
            },
        }

    @classmethod
    def of_body(cls, body: Mapping[str, Any]) -> "Task":
        """Parse what `body` returns.

        Raises:
            InputError: for a field that is impossible, or items that are not those of the digest.
        """
        found = dict(body)
        domain = headers.part(found, "domain")
        digest = headers.hexadecimal_or_empty(domain, "sha256", headers.SHA256_DIGITS)
        attributes = _checked_attributes(domain.get("attributes"), digest)
        task = cls(
            parameters=headers.parameters(found),
            domain_digest=digest,
            items=_checked_items(domain.get("items"), digest),
            bins=(bins := _checked_bins(domain.get("bins"), digest)),
            ordered=_checked_order(domain.get("ordered"), bins),
            attributes=attributes,
            columns=_checked_columns(domain.get("columns"), attributes),
        )
        if (task.items is not None) + bool(task.bins) + (task.attributes is not None) > 1:
            raise InputError("only one of items, bins and attributes must be there, got more")
        return task

    def require_same(self, other: "Task", ours: str, theirs: str) -> None:
        """Refuse what belongs to another task; `ours` and `theirs` are what errors call the owners of both.

        Raises:
            InputError: naming the first parameter that differs, or what else does.
        """
        if self.digest == other.digest:
            return
        require_same(self.parameters, other.parameters, f"reports in {theirs}")
        if self.columns != other.columns or (self.columns and self.domain_digest != other.domain_digest):
            raise InputError(
                f"reports must be about the same attributes in one order, got {_named(other)} in {theirs} and "
                f"{_named(self)} in {ours}, or other items"
            )
        if self.domain_digest != other.domain_digest:
            raise InputError(f"reports must be about one domain, got another one in {theirs} than in {ours}")
        with_order, without = (ours, theirs) if self.ordered else (theirs, ours)
        raise InputError(f"items must be in order in all reports or in none, got {with_order} in order, not {without}")


def _named(task: Task) -> str:
    return listed_names(task.columns) if task.columns else "none"


def _checked_items(items: object, digest: str) -> tuple[str, ...] | None:
    """Return the items of the domain that has this digest."""
    if items is None:
        return None
    if not isinstance(items, list) or not _are_texts(items):
        raise InputError("items must be a list of texts, got others")
    domain = Domain(tuple(items))
    try:
        found = domain.digest
    except UnicodeEncodeError:
        raise InputError("items must be texts in UTF-8, got others") from None
    if found != digest:
        raise InputError("items must be those of the domain's digest, got others")
    return domain.items


def _checked_bins(bins: object, digest: str) -> tuple[str, ...]:
    """Return the texts of the bins that have this digest; none for other items."""
    if not isinstance(bins, list) or not _are_texts(bins):
        raise InputError("bins must be a list of texts, got others")
    if not bins:
        return ()
    domain = parse_grid(bins)
    if domain.texts != tuple(bins) or domain.digest != digest:
        raise InputError("bins must be those of the domain's digest, got others")
    return domain.texts


def _listed(attributes: Attributes | None) -> list[dict[str, object]] | None:
    """Return attributes as JSON has them, none where they are too many letters."""
    if attributes is None or attributes.characters > MOST_CHARACTERS:
        return None
    pairs = zip(attributes.names, attributes.domains, strict=True)
    return [{"name": name, "items": list(domain.items)} for name, domain in pairs]


def _checked_attributes(listed: object, digest: str) -> Attributes | None:
    """Return the attributes that have this digest."""
    if listed is None:
        return None
    if not isinstance(listed, list) or not all(
        isinstance(one, dict) and set(one) == {"name", "items"} for one in listed
    ):
        raise InputError("attributes must be a list of names with items, got others")
    names = [one["name"] for one in listed]
    items = [one["items"] for one in listed]
    if not _are_texts(names) or not all(map(_are_texts, items)):
        raise InputError("attributes must have texts as names and items, got others")
    attributes = Attributes(tuple(names), tuple(Domain(tuple(texts)) for texts in items))
    try:
        found = attributes.digest
    except UnicodeEncodeError:
        raise InputError("attributes must be texts in UTF-8, got others") from None
    if found != digest:
        raise InputError("attributes must be those of the domain's digest, got others")
    return attributes


def _checked_columns(names: object, attributes: Attributes | None) -> tuple[str, ...]:
    """Return the names of the attributes."""
    if not isinstance(names, list) or not _are_texts(names):
        raise InputError("columns must be a list of texts, got others")
    if attributes is not None and attributes.names != tuple(names):
        raise InputError("columns must be the names of the attributes, got others")
    return tuple(names)


def _are_texts(items: object) -> bool:
    return isinstance(items, list) and all(isinstance(item, str) for item in items)


def _checked_order(ordered: object, bins: tuple[str, ...]) -> bool:
    """Return whether items are in order: bins of one column are, pairs are not, other items as the header says."""
    if not isinstance(ordered, bool) or (bins and ordered != (len(bins) == 1)):
        raise InputError(f"ordered must be true or false, and true exactly for one of bins, got {shorten(ordered)}")
    return ordered
