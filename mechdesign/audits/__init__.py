"""Audit any matrix exactly, derive it from the geometric mechanism, or mend it."""
