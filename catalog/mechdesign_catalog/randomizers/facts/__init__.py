"""Facts of randomizers: rates, information, liars, costs, moments of scores, papers."""
