"""Make the pages that are not written by hand: commands from the Typer app, Python from docstrings."""
