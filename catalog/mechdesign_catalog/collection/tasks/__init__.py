"""Describe what is collected: a task."""
