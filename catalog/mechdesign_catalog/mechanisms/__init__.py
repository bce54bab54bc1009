"""Mechanisms by name: closed forms, named designs, files."""
