"""Take and show what runs a collection: its task."""
