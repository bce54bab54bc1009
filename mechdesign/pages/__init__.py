"""Pages of HTML that hold a design, and the modules of script that draw it there and in the studio."""
