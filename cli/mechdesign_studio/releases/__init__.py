"""The folder of releases, and the answers to the Release panel."""
