"""Dependence of attributes in estimated tables: association tests, trees, synthetic rows."""
