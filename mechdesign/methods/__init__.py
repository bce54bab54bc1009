"""Choose among the ways to an optimal mechanism: closed forms, column generation, linear programs."""
