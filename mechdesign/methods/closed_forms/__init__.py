"""Make mechanisms with a formula that a theorem calls optimal, and the proofs that go with them."""
