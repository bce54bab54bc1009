"""The command line: options parsed, packages called, results printed.

No mathematics lives here.
"""
