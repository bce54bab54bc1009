"""The server's part: sums of reports."""
