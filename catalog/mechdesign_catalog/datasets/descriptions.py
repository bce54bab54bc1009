"""Descriptions of the data sets, in words."""

from mechdesign_catalog.datasets.counts.descriptions import DataEntry, entries
from mechdesign_catalog.datasets.items.descriptions import item_entries


def list_data_sets() -> tuple[DataEntry, ...]:
    """List all data sets: those of counts, then those of items, those that are not available last."""
    return (*entries(), *item_entries())
