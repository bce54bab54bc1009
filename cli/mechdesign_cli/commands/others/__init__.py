"""Run what belongs to no single design: published studies."""
