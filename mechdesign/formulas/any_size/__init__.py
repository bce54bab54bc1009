"""The least score as a function of alpha and of the size of the group: laws for symbolic alpha, found and proved."""
