"""Mechanisms with a formula, each with exact integer weights and its L0 score by formula."""
