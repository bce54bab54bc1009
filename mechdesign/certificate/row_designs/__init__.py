"""Make what a search found exact: the weights of rows, their variance, and the bound that a dual proves."""
