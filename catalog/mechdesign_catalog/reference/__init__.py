"""The reference client: one report at a time from random bytes.

Clients in other languages follow the same rules.
"""
