"""Test vectors, which implementations in other languages are held against."""
