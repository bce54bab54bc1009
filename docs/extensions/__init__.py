"""Generated pages: commands from the Typer app, Python from docstrings."""
