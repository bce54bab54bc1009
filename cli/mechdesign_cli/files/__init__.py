"""Files of commands: the tables that they read, and outputs written all or none."""
