"""Design laws, one mechanism for groups of every size, from options."""
