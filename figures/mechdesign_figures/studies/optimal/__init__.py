"""Study published local mechanisms beside the certified optimum of a workload."""
