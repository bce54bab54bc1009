"""The linear program as a method, and the proof of its answer."""
