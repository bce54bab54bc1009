"""Studies of mechanisms for counts: figures and tables 6.1 to 6.17."""
