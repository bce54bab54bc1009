"""Release real counts, measure the errors of releases, and estimate what they say."""
