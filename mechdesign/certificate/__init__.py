"""Certificates: the lower bound for every mechanism, and the score of one."""
