"""Declare the options that commands share, and make problems, mechanisms and data of their texts."""
