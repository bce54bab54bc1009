"""Parts that pictures share: style, lettering, lines, curves, dots and error histograms."""
