"""Make one report at a time from random bytes, by the rules that clients in other languages follow."""
