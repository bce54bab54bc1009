"""Run the two comparisons that the command line offers."""
