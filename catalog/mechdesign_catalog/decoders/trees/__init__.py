"""Trees of levels over ordered items: inference, weights of levels, walks, plans."""
