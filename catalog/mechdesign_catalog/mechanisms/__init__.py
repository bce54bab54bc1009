"""Build known mechanisms by name: closed forms, named designs, files."""
