"""Design mechanisms, audit and derive them, and price their properties."""
