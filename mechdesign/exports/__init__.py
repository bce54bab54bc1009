"""Exports of the linear program of a design, and of its proof, to other programs' formats."""
