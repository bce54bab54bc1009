"""The collection of reports: files, headers, memories, aggregation."""
