"""Claims: what published studies say, measured again, each with a verdict that is computed."""
