"""Show how little of the best oracle's variance a design for a workload may need."""

from dataclasses import dataclass

from mechdesign_catalog.comparisons.survey import Cells
from mechdesign_cli.showing.messages import printable
from mechdesign_cli.showing.tables import console

LITTLE = 0.97
"""From this part on there is not much that a design could save."""


@dataclass(frozen=True)
class DesignFloor:
    """Hold a part of the best oracle's variance that no local mechanism is below, and the command for a design."""

    share: float
    command: str

    def cells(self) -> Cells:
        """Return it as JSON has it."""
        return {"least_share": self.share, "command": self.command}


def show_design_floor(floor: DesignFloor | None) -> None:
    """Print the bound, and the command where a design may save more than a little."""
    if floor is None:
        return
    if floor.share >= LITTLE:
        part = f"{floor.share:g} of the best one's variance"
        console().print(f"\nno local mechanism with unbiased linear answers has less than {part} at equal shares")
        return
    least = f"a design for this workload may cut the best one's variance to {floor.share:g} of it"
    console().print(f"\n{least}, and none to less at equal shares:\n{printable(floor.command)}")
