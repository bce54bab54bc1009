"""Exact audits of any matrix, its derivation from the geometric mechanism, and repairs."""
