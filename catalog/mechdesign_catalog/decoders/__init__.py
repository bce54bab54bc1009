"""What a server makes of sums of reports: unbiased answers of queries, with their covariance."""
