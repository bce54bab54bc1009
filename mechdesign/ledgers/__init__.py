"""Ledgers of privacy: what each data set has spent, what is left, and every charge."""
