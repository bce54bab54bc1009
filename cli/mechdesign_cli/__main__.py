"""The command line as `python -m mechdesign_cli`."""

from mechdesign_cli.entry import entry

entry()
