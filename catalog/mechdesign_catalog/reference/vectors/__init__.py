"""Make test vectors: what implementations in other languages are held against."""
