"""Answer ranges by systems of levels: each user reports about one level of a tree, drawn at random."""
