"""Documents: files of designs, matrices and tables, written whole or not at all."""
