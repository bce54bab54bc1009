"""Verify designs in integers: the trusted kernel, which imports the standard library alone."""
