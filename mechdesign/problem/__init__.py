"""State what a mechanism must satisfy: inputs and neighbours, privacy, properties, loss and prior."""
