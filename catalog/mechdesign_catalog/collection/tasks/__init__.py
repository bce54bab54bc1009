"""Tasks: descriptions of what is collected."""
