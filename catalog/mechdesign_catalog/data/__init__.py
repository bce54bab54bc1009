"""Data sets: real people and counts, made-up ones, and tables of one's own, all as true counts of groups of n."""

from mechdesign_catalog.data.counts_table import CountsTable
from mechdesign_catalog.data.csv_table import open_table
from mechdesign_catalog.data.grouped import DataSet, GroupedCounts
from mechdesign_catalog.data.histograms import HISTOGRAMS, CountHistogram
from mechdesign_catalog.data.opening import open_data
from mechdesign_catalog.data.people import People
from mechdesign_catalog.data.synthetic import Synthetic

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
