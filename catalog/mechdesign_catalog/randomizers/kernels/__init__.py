"""Kernels of oracles: bits and sets drawn, hashes, transforms."""
