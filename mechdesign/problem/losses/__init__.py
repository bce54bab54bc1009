"""Charge a wrong output: the losses, one module a family; `mechdesign.problem.loss` reads their names."""
