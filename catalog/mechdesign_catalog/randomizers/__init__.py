"""What a user reports: kernels, columns of reports, facts of a randomizer, and the combinators that join them."""
