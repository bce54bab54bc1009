"""What is known of a randomizer: rates, information, liars, costs, moments of its scores, papers."""
