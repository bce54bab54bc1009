"""Call LP solvers through one function type; what they return is a hint that the certificate checks."""
