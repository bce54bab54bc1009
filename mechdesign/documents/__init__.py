"""Read and write designs, matrices and tables, whole or not at all."""
