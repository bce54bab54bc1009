"""Made-up users with several attributes each: laws of whole rows."""
