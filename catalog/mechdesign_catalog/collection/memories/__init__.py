"""Memories of users' permanent answers, for repeated collection."""
