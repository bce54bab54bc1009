"""Commands on data sets and on published studies."""
