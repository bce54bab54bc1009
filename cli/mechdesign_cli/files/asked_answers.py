"""Hold which answers of ordered items are asked for, and refuse what does not go together."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from mechdesign.errors import InputError
from mechdesign_catalog.ordered.quantiles import parse_quantiles


@dataclass(frozen=True)
class AskedAnswers:
    """Hold the file of ranges and the quantiles that are asked for, where quantiles go, and with which intervals."""

    ranges: Path | None
    quantiles: tuple[Fraction, ...]
    quantiles_output: Path | None
    simultaneous: bool

    @classmethod
    def parse(
        cls, ranges: Path | None, quantiles: str | None, quantiles_output: Path | None, simultaneous: bool
    ) -> "AskedAnswers":
        """Parse the options.

        Raises:
            InputError: for options of quantiles without them, or quantiles that are none.
        """
        if quantiles is None:
            if quantiles_output is not None or simultaneous:
                option = "--simultaneous" if simultaneous else "--quantiles-output"
                raise InputError(f"{option} goes with --quantiles, got it without them")
            return cls(ranges, (), None, False)
        return cls(ranges, parse_quantiles(quantiles), quantiles_output, simultaneous)

    @property
    def given(self) -> dict[str, object]:
        """What is asked for, by the names of the options."""
        return {"ranges": self.ranges, "quantiles": self.quantiles or None}

    def require_outputs(self, output: Path | None, json: bool) -> None:
        """Refuse one file for two tables, and two tables on stdout.

        Raises:
            InputError: with the way out.
        """
        files = [path.resolve() for path in (output, self.quantiles_output) if path is not None]
        if len(set(files)) < len(files):
            raise InputError(f"output and quantiles-output must be two files, got {output} for both")
        if self.ranges and self.prints_quantiles(json) and output is None:
            raise InputError("ranges must have --output where quantiles are printed, got none")

    def prints_quantiles(self, json: bool) -> bool:
        """Tell whether the table of quantiles goes to stdout."""
        return bool(self.quantiles) and self.quantiles_output is None and not json
