"""`python -m mechdesign_cli` is the command line too."""

from mechdesign_cli.entry import entry

entry()
