"""Design for workloads whose matrix of inner products has levels: histograms, and marginals of binary attributes."""
