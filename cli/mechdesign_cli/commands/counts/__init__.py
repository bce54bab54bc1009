"""Commands on counts of groups of people: design, prove, release, estimate, and pay from a ledger."""
