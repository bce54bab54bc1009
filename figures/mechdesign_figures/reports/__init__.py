"""Report on a design: in words, as data, and as a page of one file."""
