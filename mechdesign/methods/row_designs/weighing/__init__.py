"""Weigh given rows: the interior-point master of the programme, its dual, and the fewest rows of one optimum."""
