"""The file of an unfinished search: its best design, never a worse one over a better."""

from fractions import Fraction
from pathlib import Path

from mechdesign.audits.reading import read_design
from mechdesign.documents.storage import export
from mechdesign.errors import MechdesignError
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workload_designs import WorkloadDesign
from mechdesign_cli.showing.messages import note_written, say

DOCUMENT = ".json"


class UnfinishedFile:
    """The name of a design document; what stands there gives way to a better design of the same problem alone."""

    def __init__(self, path: Path, problem: WorkloadProblem) -> None:
        self.path, self.problem = path, problem
        self.gap: Fraction | None = None
        self.is_known = self.is_foreign = False

    def write(self, design: WorkloadDesign) -> None:
        """Write a design where there is nothing yet, or one of the same problem with a wider gap."""
        self._know()
        if self.is_foreign:
            say(f"kept {self.path}, no design for {self.problem.describe()}; the unfinished one was not written")
        elif self.gap is None or (design.gap is not None and design.gap < self.gap):
            export(design, self.path)
            self.gap = design.gap
            note_written(self.path)

    @property
    def goes_on(self) -> bool:
        """Whether a search can go on from the file."""
        return self.path.exists() and not self.is_foreign

    def _know(self) -> None:
        """Read once what stands in the file."""
        if self.is_known:
            return
        self.is_known = True
        if not self.path.exists():
            return
        try:
            older = read_design(self.path)
        except MechdesignError:
            self.is_foreign = True
            return
        self.is_foreign = not isinstance(older, WorkloadDesign) or older.problem != self.problem
        self.gap = older.gap if isinstance(older, WorkloadDesign) else None
