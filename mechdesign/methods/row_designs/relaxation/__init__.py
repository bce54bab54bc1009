"""Bound the best local mechanism for many items without looking at all rows, and draw rows that nearly reach it."""
