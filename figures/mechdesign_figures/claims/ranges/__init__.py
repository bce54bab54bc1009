"""Measure what chapter 5 of Kulkarni's thesis says of ranges under local privacy."""
