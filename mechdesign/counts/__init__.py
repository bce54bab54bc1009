"""Releases of real counts, the errors of releases, and estimates from them."""
