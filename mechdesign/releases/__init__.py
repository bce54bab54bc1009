"""Releases of counts of real groups, from microdata or tables, with a checkable record."""
