"""Reports on designs: in words, as data, and as a page of one file."""
