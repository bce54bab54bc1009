"""Commands that open the page, and complete words in a shell."""
