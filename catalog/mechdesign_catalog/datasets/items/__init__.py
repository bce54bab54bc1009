"""Data for local oracles: users with one of k items, or with several attributes."""

from mechdesign_catalog.datasets.items.counts import ItemCounts
from mechdesign_catalog.datasets.items.descriptions import find_item_entry, item_entries
from mechdesign_catalog.datasets.items.domain import Domain, as_domain, column_counts, read_domain
from mechdesign_catalog.datasets.items.opening import means_items, open_item_table, open_items
from mechdesign_catalog.datasets.items.table import ItemTable

__all__ = [
    "Domain",
    "ItemCounts",
    "ItemTable",
    "as_domain",
    "column_counts",
    "find_item_entry",
    "item_entries",
    "means_items",
    "open_item_table",
    "open_items",
    "read_domain",
]
