"""Data sets: counts of groups, items of users, real and made up."""
