"""Partitions of items in a row into warped blocks: exact edges, least squares over all of them, weights of levels."""
