"""The studio in a browser: a page, jobs in warm workers, files in a passing folder."""
