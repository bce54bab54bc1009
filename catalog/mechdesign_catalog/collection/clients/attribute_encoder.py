"""Encode users' texts as items of several public attributes, and choose which attributes are asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mechdesign.errors import InputError
from mechdesign_catalog.collection.clients.encoders import Columns
from mechdesign_catalog.datasets.attributes import Attributes, as_attributes
from mechdesign_catalog.oracles.oracle import Values


@dataclass(frozen=True)
class AttributeEncoder:
    """Encode rows of texts, one of each attribute."""

    attributes: Attributes
    items: tuple[str, ...] | None = None
    bins: tuple[str, ...] = ()
    ordered: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def domain_digest(self) -> str:
        """Digest of the attributes with their items, in order."""
        return self.attributes.digest

    def encode(self, columns: Columns, source: str, first_row: int) -> Values:
        """Return the items of each row, shape (users, d)."""
        return self.attributes.encode(columns, source, first_row)

    def is_value(self, text: str) -> bool:
        """Tell whether a user could have this in some attribute."""
        return any(text in domain for domain in self.attributes.domains)


def asked_attributes(domain: object, columns: Sequence[str] | None, oracle: str) -> Attributes:
    """Return the attributes that an oracle of several is asked for: those of these columns, in their order, or all.

    Raises:
        InputError: for no attributes, another kind of domain, a column that is not among them or stands twice.
    """
    if domain is None:
        raise InputError(
            f"domain must be given for {oracle}, got none: a public CSV file with columns column,item, or the items of "
            "each column by name"
        )
    if not isinstance(domain, Attributes | Mapping | str | Path):
        raise InputError(f"domain must have the items of each attribute for {oracle}, got a list of items")
    found = as_attributes(domain)
    if columns is None:
        return found
    for name in columns:
        if name not in found.names:
            where = f" of {domain}" if isinstance(domain, str | Path) else ""
            raise InputError(f"columns must be attributes{where} ({found.listed}), got {name or 'an empty name'}")
    return found.taken(columns)
