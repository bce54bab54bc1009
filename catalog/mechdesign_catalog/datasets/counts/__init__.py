"""Data as true counts of groups of n: real people, made-up ones, tables of one's own."""

from mechdesign_catalog.datasets.counts.counts_table import CountsTable
from mechdesign_catalog.datasets.counts.csv_table import open_table
from mechdesign_catalog.datasets.counts.grouped import DataSet, GroupedCounts
from mechdesign_catalog.datasets.counts.histograms import HISTOGRAMS, CountHistogram
from mechdesign_catalog.datasets.counts.opening import open_data
from mechdesign_catalog.datasets.counts.people import People
from mechdesign_catalog.datasets.counts.synthetic import Synthetic

__all__ = [
    "HISTOGRAMS",
    "CountHistogram",
    "CountsTable",
    "DataSet",
    "GroupedCounts",
    "People",
    "Synthetic",
    "open_data",
    "open_table",
]
