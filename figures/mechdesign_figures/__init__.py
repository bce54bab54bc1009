"""Pictures of mechanisms. Each drawing function takes data and axes and returns the axes."""
