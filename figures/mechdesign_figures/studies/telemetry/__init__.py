"""Studies of telemetry of few users: dBitFlip and 1BitMean."""
