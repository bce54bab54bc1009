"""Hold estimated answers of linear queries on the shares of the items, with their intervals."""

from dataclasses import dataclass

from mechdesign_catalog.oracles.intervals import normal_intervals
from mechdesign_catalog.oracles.probabilities import Floats


@dataclass(frozen=True, eq=False)
class AnswerEstimate:
    """Hold the answers of some queries, such as the shares of ranges; shape (queries,) each.

    Intervals are normal, around unbiased answers: `shares` are these, unless a post-processing made others of them.
    `low` and `high` are for each answer by itself, `low_all` and `high_all` for all of these together (Sidak).
    `confidence` is their level. Where reports leave standard errors open between
    two, `least_errors` are the smaller ones; intervals are of the larger.
    """

    shares: Floats
    standard_errors: Floats
    low: Floats
    high: Floats
    low_all: Floats
    high_all: Floats
    confidence: float
    least_errors: Floats | None = None

    @classmethod
    def of(
        cls, shares: Floats, standard_errors: Floats, level: float, *, least: Floats | None = None
    ) -> "AnswerEstimate":
        """Add the intervals to answers and their standard errors; `least` are the smallest that these can be.

        Raises:
            InputError: for a level that is not in (0, 1).
        """
        single = normal_intervals(shares, standard_errors, level)
        together = normal_intervals(shares, standard_errors, level, together=max(1, len(shares)))
        left_open = None if least is None or (least == standard_errors).all() else least
        return cls(shares, standard_errors, *single, *together, level, left_open)

    def columns(self) -> dict[str, list[float]]:
        """Return the numbers of each answer by the names that tables have for them."""
        numbers = {
            "share": self.shares,
            "standard_error": self.standard_errors,
            "low": self.low,
            "high": self.high,
            "low_all": self.low_all,
            "high_all": self.high_all,
        }
        if self.least_errors is not None:
            numbers["least_standard_error"] = self.least_errors
        return {name: column.tolist() for name, column in numbers.items()}
