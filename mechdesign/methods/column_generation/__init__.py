"""Column generation: row i of a private matrix is a mixture of extreme patterns, found as they are needed.

On a path, a private row is a nonnegative combination of patterns `r` in which every step away from i changes r by
exactly a factor alpha^d, down or (unless RM is asked: then flat) up. The master LP mixes patterns so that columns sum
to 1, and has one more row for each WH floor, RH row, F tie or loss (worst case). The pattern that a row lacks most is
found exactly by one walk along it, whatever the 2^n patterns are, and the same walk in integers checks the proof.
"""
