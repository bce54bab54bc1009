"""Run the studies of ranges under local privacy again: chapter 5 of Kulkarni's thesis."""
