"""Run the studies of telemetry again: dBitFlip and 1BitMean on few users."""
