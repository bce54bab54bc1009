"""Define the losses, one module a family; `mechdesign.problem.loss` reads their names."""
