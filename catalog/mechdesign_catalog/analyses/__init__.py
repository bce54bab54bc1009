"""What estimates are used for: questions on ordered items, dependence of attributes, post-processing."""
