"""The verifier of documents: an integer kernel and a program, standard library alone."""
