"""Run the command line: parse options, call the packages, print results.

No mathematics lives here.
"""
