"""The version of the whole studio."""

__version__ = "0.1.0"
