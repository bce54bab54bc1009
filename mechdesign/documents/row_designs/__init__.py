"""Write and read documents of local mechanisms for workloads."""
