"""Make all tables of a collection agree, without negative shares, and tell larger tables from them."""
