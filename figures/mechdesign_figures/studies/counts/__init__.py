"""Run the studies of mechanisms for counts again: figures 6.1 to 6.17."""
