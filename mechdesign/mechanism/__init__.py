"""Mechanisms as exact integers, exact draws from them, and their tightest privacy."""
