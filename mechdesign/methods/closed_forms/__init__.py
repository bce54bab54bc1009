"""Mechanisms with a formula that a theorem calls optimal, and the proofs with them."""
