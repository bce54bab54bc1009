"""The least score as an exact function of alpha: pieces between algebraic numbers, found and proved."""
