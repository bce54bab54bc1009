"""Coefficients of tuples, one a report: Fourier (INPHT) and Efron-Stein (INPES)."""
