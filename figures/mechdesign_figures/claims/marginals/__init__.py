"""Claims of chapter 4 of the thesis: marginal tables under local privacy."""
