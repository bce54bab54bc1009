"""Results in a terminal: reports, tables, histograms, remarks and progress."""
