"""Collect all attributes of a user at once: systems that make the input itself noisy, and tell every table from it."""
