"""Measure what the study of mechanisms for counts says."""
