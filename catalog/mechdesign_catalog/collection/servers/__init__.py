"""Add up reports: what a server does."""
