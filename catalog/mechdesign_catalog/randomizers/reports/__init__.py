"""Reports, their columns, their sums, and the exact chances that they are drawn with."""
