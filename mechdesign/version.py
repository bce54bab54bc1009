"""The version of mechdesign, one for all four packages."""

__version__ = "0.1.0"
