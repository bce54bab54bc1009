"""Report one coefficient of the users' tuples at a time: Fourier (INPHT) and Efron-Stein (INPES) coefficients."""
