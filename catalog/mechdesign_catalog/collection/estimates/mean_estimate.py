"""The estimated mean of users' numbers, with its standard error."""

from dataclasses import dataclass

from mechdesign.documents.tabular import Table
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.mean import mean_interval


@dataclass(frozen=True)
class ReportedMean:
    """The estimated mean of the users' numbers, with its standard error."""

    oracle: OneBitMean
    state: State

    @property
    def mean(self) -> float:
        """Estimated mean of the users' numbers."""
        return self.oracle.estimate(self.state)

    @property
    def standard_error(self) -> float:
        """Standard error of the estimated mean."""
        return self.oracle.standard_error(self.state)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return a confidence interval of the mean; see `mean_interval`."""
        return mean_interval(self.oracle, self.state, level)

    def tabulate(self) -> Table:
        """Make a table of one row: `mean`, `standard_error`."""
        return Table({"mean": [self.mean], "standard_error": [self.standard_error]})
