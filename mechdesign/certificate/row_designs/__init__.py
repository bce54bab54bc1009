"""Exact row designs: weights of rows, their variance, and the bound that a dual proves."""
