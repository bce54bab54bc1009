"""Studies of ranges under local privacy: chapter 5 of Kulkarni's thesis."""
