"""Releases of tables of counts through a noise table: cells, their noise, the secret, and what is promised."""
