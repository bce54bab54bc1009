"""Decoders: sums of reports into unbiased answers of queries, with their covariance."""
