"""Read the tables that commands are given, and write their files, all or none."""
