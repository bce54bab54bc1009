"""Pictures: each module draws one kind, onto given axes or as a figure of several panels."""
