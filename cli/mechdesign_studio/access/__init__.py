"""Decide who is let in: the session, the gate before every request, and whose program calls."""
