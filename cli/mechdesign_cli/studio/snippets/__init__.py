"""Write commands as Python: one module for each kind of command, each of which takes the options that it knows."""
