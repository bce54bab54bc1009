"""Show the folder of releases, and answer the Release panel."""
