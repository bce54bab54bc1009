"""Find one mechanism for counts of every size: an exact layer at the ends of the geometric mechanism."""
