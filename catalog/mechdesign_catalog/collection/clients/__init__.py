"""Make reports of users' values: what a client does."""
