"""State up to which size a report has what takes long; light enough for whoever only wants to know."""

USUAL_PRICES = 16
"""Up to this n (or so many items less one) a page has the prices of the properties unless they are refused."""
