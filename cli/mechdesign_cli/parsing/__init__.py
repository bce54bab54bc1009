"""Shared options of commands, and the problems, mechanisms and data that they stand for."""
