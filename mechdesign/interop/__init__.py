"""Designs for other tools for privacy: OpenDP, dp-accounting, qif."""
