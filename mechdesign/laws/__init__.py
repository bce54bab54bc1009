"""Laws: mechanisms for counts of every size."""
