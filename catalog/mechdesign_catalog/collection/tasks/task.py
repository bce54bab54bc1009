"""The task of a collection: the oracle that users report with, and their items."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard, TypeVar

from mechdesign.errors import InputError, shorten
from mechdesign_catalog.datasets.attributes import Attributes, listed_names
from mechdesign_catalog.datasets.items.bins import Bins, Grid, ItemDomain, parse_grid
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.randomizers.reports import headers
from mechdesign_catalog.randomizers.reports.reports import Parameters, require_same

FORMAT = "mechdesign-task/1"
MOST_CHARACTERS = 1_000_000
"""Items travel along as long as they have no more characters together."""


@dataclass(frozen=True)
class Task:
    """The facts common to all reports of a collection: oracle parameters, and the domain.

    `domain_digest` is the SHA-256 of the items (`Domain.digest`), bins or attributes, empty for an oracle of numbers.
    `domain` are these items, bins or attributes; None for numbers, or items that are too many to travel along.
    `columns` are the names of the attributes in any case. `ordered` says that the order of the items means something.
    """

    parameters: Parameters
    domain_digest: str = ""
    domain: ItemDomain | Attributes | None = None
    ordered: bool = False
    columns: tuple[str, ...] = ()

    @classmethod
    def about(
        cls, parameters: Parameters, domain: ItemDomain | Attributes | None = None, ordered: bool = False
    ) -> "Task":
        """Make the task of an oracle's parameters and a domain; `ordered` is for items that are listed in order."""
        if domain is None:
            return cls(parameters)
        if isinstance(domain, Attributes):
            return cls(parameters, domain.digest, domain, columns=domain.names)
        if isinstance(domain, Bins | Grid):
            return cls(parameters, domain.digest, domain, ordered=isinstance(domain, Bins))
        travels = sum(map(len, domain.items)) <= MOST_CHARACTERS
        return cls(parameters, domain.digest, domain if travels else None, ordered)

    @property
    def items(self) -> tuple[str, ...] | None:
        """The items, where they travel along and are no bins."""
        return self.domain.items if isinstance(self.domain, Domain) else None

    @property
    def bins(self) -> tuple[str, ...]:
        """The texts that make the items where these are bins: one, or two for pairs of bins."""
        return self.domain.texts if isinstance(self.domain, Bins | Grid) else ()

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
                "attributes": _listed(self.domain),
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
        stated = headers.part(found, "domain")
        digest = headers.hexadecimal(stated.get("sha256"), "sha256", headers.SHA256_DIGITS, may_be_empty=True)
        attributes = _checked_attributes(stated.get("attributes"), digest)
        parameters = headers.parameters(found)
        items, bins = _checked_items(stated.get("items"), digest), _checked_bins(stated.get("bins"), digest)
        ordered = _checked_order(stated.get("ordered"), bins)
        columns = _checked_columns(stated.get("columns"), attributes)
        given = [domain for domain in (items, bins, attributes) if domain is not None]
        if len(given) > 1:
            raise InputError("a domain must have one of items, bins and attributes, got several")
        return cls(parameters, digest, given[0] if given else None, ordered, columns)

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


def _texts(listed: object, name: str) -> tuple[str, ...]:
    if not _are_texts(listed):
        raise InputError(f"{name} must be a list of texts, got others")
    return tuple(listed)


def _are_texts(items: object) -> TypeGuard[list[str]]:
    return isinstance(items, list) and all(isinstance(item, str) for item in items)


Listed = TypeVar("Listed", bound=ItemDomain | Attributes)


def _of_digest(domain: Listed, digest: str, name: str) -> Listed:
    """Return a domain that has this digest; `name` is what a header calls it."""
    try:
        found = domain.digest
    except UnicodeEncodeError:
        raise InputError(f"{name} must be texts in UTF-8, got others") from None
    if found != digest:
        raise InputError(f"{name} must be those of the domain's digest, got others")
    return domain


def _checked_items(items: object, digest: str) -> Domain | None:
    return None if items is None else _of_digest(Domain(_texts(items, "items")), digest, "items")


def _checked_bins(bins: object, digest: str) -> Bins | Grid | None:
    """Return the bins that have this digest, and are written as their texts write them; none for other items."""
    texts = _texts(bins, "bins")
    if not texts:
        return None
    domain = parse_grid(texts)
    return _of_digest(domain, digest if domain.texts == texts else "", "bins")


def _listed(attributes: object) -> list[dict[str, object]] | None:
    """Return attributes as JSON has them, none where they are too many letters."""
    if not isinstance(attributes, Attributes) or attributes.characters > MOST_CHARACTERS:
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
    names, items = [one["name"] for one in listed], [one["items"] for one in listed]
    if not _are_texts(names) or not all(map(_are_texts, items)):
        raise InputError("attributes must have texts as names and items, got others")
    attributes = Attributes(tuple(names), tuple(Domain(tuple(texts)) for texts in items))
    return _of_digest(attributes, digest, "attributes")


def _checked_columns(listed: object, attributes: Attributes | None) -> tuple[str, ...]:
    """Return the names of the attributes."""
    names = _texts(listed, "columns")
    if attributes is not None and attributes.names != names:
        raise InputError("columns must be the names of the attributes, got others")
    return names


def _checked_order(ordered: object, bins: Bins | Grid | None) -> bool:
    """Return whether items are in order: bins of one column are, pairs are not, other items as the header says."""
    if not isinstance(ordered, bool) or (bins is not None and ordered != isinstance(bins, Bins)):
        raise InputError(f"ordered must be true or false, and true exactly for one of bins, got {shorten(ordered)}")
    return ordered
