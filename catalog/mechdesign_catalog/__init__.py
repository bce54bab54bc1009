"""The shelf: closed-form mechanisms and the data sets that come with the studio."""
