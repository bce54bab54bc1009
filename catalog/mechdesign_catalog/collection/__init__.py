"""Collect reports: files, headers, memories, aggregation."""
