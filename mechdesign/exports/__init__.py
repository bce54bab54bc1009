"""Write the linear program of a design, and its proof, in formats that other people's programs read."""
