"""Systems that are made of a mechanism or of a design for a workload."""
