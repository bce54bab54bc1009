"""Methods for an optimal mechanism: closed forms, column generation, linear programs."""
