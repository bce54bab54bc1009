"""Randomizers: what users report.

They are kernels, columns of reports, facts of a randomizer, and the combinators that join them.
"""
