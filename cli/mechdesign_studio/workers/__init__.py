"""Run jobs in warm processes, end them at once, and let nothing outlive the studio."""
