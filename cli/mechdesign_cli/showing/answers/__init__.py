"""Show what reports of users tell: shares, ranges, quantiles, and doubts about them."""
