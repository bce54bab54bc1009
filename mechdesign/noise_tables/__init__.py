"""Noise tables of statistics offices: what is asked, the table, its exact privacy curve, and the best one."""
