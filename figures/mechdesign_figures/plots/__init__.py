"""Draw one picture each: onto given axes, or as a figure of several panels."""
