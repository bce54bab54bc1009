"""Hold what users send: reports in columns, in memory and in files."""
