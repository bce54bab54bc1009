"""Release counts of real groups from microdata or tables, with a record that can be checked and estimated from."""
