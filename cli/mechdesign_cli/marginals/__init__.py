"""Deliver estimated marginal tables of several attributes: files, pictures, documents, and tables on the screen."""
