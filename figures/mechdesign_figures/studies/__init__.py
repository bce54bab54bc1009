"""Published figures and tables, run again: each a `Study` that yields a table and draws it."""
