"""Verify design documents in integers: the trusted kernel and its program, of the standard library alone."""
