"""Jobs in warm processes, ended at once; nothing outlives the studio."""
