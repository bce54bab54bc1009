"""Remember users' permanent answers, for repeated collection."""
