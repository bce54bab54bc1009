"""Encode users' texts as items of several public attributes."""

from dataclasses import dataclass

from mechdesign_catalog.collection.clients.encoders import Columns
from mechdesign_catalog.datasets.attributes import Attributes
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
