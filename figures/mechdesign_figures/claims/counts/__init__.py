"""Claims of the study of mechanisms for counts."""
