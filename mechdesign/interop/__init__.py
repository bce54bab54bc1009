"""Hand designs to other tools for privacy: OpenDP, dp-accounting, qif."""
