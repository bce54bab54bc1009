"""Prove a lower bound for every mechanism, and compute the score of one."""
