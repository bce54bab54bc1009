"""Reports that users send: columns, in memory and in files."""
