"""Hold a mechanism as exact integers, draw from it exactly, and measure how private it is."""
