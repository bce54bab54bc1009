"""Write a design problem as a linear program, and solve it in exact arithmetic."""
