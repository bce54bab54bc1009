"""Hand the studio what it is for: commands as steps, how they run in a worker, and what its forms are made of."""
