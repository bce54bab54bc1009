"""Problems: inputs and neighbours, privacy, properties, loss and prior."""
