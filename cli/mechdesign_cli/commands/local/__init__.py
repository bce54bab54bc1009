"""Commands on reports that users make private themselves (LDP): oracles, tasks, reports, estimates."""
