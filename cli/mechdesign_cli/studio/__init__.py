"""The studio's side of the command line: commands as steps, their runs, its forms."""
