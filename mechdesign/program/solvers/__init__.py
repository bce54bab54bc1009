"""LP solvers, behind one function type; the certificate checks the hints that they return."""
