"""Solve the linear program and prove its answer."""
