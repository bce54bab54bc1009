"""Run the command line by `python -m mechdesign_cli` too."""

from mechdesign_cli.entry import entry

entry()
