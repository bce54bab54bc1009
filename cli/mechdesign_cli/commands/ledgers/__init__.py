"""Commands that keep a ledger of privacy."""
