"""The ledger of claims: what a published study says, measured again, each with a verdict that is computed."""
