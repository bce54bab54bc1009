"""Published figures and tables, run again: each is a `Study` that yields a table and draws it."""
