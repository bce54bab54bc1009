"""The command line: parses, calls, prints. No mathematics lives here."""
