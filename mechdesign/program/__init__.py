"""Linear programs of design problems, solved in exact arithmetic."""
