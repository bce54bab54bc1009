"""Systems of levels for ranges: each user reports about one level of a tree.

The level is drawn at random.
"""
