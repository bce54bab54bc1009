"""The size up to which a report has what takes long; a light module for that question."""

USUAL_PRICES = 16
"""Up to this n (or so many items less one) a page has the prices of the properties unless they are refused."""
