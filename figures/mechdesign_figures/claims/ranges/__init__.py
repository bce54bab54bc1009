"""Claims of chapter 5 of Kulkarni's thesis: ranges under local privacy."""
