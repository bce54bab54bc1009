"""Serve the studio in a browser: a page, its jobs in warm workers, its files in a folder that goes with the process."""
