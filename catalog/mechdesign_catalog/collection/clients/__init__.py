"""The client's part: reports of users' values."""
