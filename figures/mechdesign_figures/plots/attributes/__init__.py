"""Pictures of several attributes: their tables, and how they depend on each other."""
