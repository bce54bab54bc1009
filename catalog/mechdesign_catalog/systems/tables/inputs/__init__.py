"""Input systems: all attributes of a user collected at once, for every table.

They make the input itself noisy.
"""
