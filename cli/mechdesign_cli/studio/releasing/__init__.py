"""Releases from the studio, staged in a folder of the office's.

Each is drawn once, however often somebody asks.
"""
