"""Design and hold mechanisms for counts of every size."""
