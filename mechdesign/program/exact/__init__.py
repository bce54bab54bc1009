"""Exactly optimal vertices of the linear program, and repairs in integers."""
