"""Studies of published local mechanisms beside the certified optimum of a workload."""
