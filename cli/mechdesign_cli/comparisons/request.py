"""Deliver the rows of a comparison as files, a JSON document or a report, by options that both comparisons have."""

import json as json_module
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mechdesign_catalog.comparisons.rows import ComparisonRows, Entry
from mechdesign_cli.files.targets import require_targets, write_and_say

SUFFIXES = (".csv", ".json")


@dataclass(frozen=True, kw_only=True)
class ComparisonRequest:
    """The options of every comparison; texts as they were typed, None where not given."""

    alpha: str | None
    epsilon: str | None
    metric: str | None
    repetitions: int | None
    seed: int | None
    output: list[Path]
    plot: Path | None

    def require_targets(self, sources: Sequence[Path]) -> None:
        """Refuse, before any work, files that could not be written, or that are `sources`."""
        require_targets(self.output, self.plot, sources, SUFFIXES)

    def document(self, rows: ComparisonRows[Any], data: Entry | list[Entry]) -> str:
        """Write the rows, and what they were measured on, as JSON."""
        document = {"rows": rows.tabulate().entries(), "data": data, "seed": self.seed}
        return json_module.dumps(document, indent=1) + "\n"

    def write(self, rows: ComparisonRows[Any], document: str, draw: Callable[[str], bytes]) -> None:
        """Write the files, all or none; `draw` makes the picture for a suffix."""
        table = rows.tabulate().csv_bytes()
        contents = {path: document.encode() if path.suffix.lower() == ".json" else table for path in self.output}
        if self.plot is not None:
            contents[self.plot] = draw(self.plot.suffix)
        write_and_say(contents)
