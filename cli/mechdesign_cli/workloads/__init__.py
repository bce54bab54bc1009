"""Ask for local designs of workloads, and deliver them."""
