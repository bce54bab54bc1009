"""Keep ledgers of privacy: what each data set has spent, what is left, and what was drawn for it."""
