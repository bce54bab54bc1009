"""States of collections: sums of reports that a server keeps, merges and passes on."""
