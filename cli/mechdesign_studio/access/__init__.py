"""Access to the studio: the session, the gate before every request, and whose program calls."""
