"""Losses, one module a family; `mechdesign.problem.loss` reads their names."""
