"""Tell from estimated tables which attributes depend on each other: association tests, trees, synthetic rows."""
