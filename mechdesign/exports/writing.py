"""Exported files, by their ending: `.vipr` with the proof, `.lp` and `.mps` without."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from mechdesign.designs import Design
from mechdesign.exports.cplex_lp import lp_lines
from mechdesign.exports.limits import require_short
from mechdesign.exports.mps import mps_lines
from mechdesign.exports.stated_lp import state_lp
from mechdesign.exports.vipr import vipr_lines
from mechdesign.exports.whole_numbers import note_of_long_numbers
from mechdesign.problem.design_problem import DesignProblem

WHOLE_SUFFIXES = (".lp", ".mps")
PROGRAM_SUFFIXES = (".vipr", *WHOLE_SUFFIXES)

LINES_IN_PIECE = 4096


def require_short_programs(problem: DesignProblem, paths: Iterable[Path]) -> None:
    """Refuse, before a problem is solved, files in which its program would be too long.

    Raises:
        InputError: naming the first such file.
    """
    for path in paths:
        if path.suffix.lower() in PROGRAM_SUFFIXES:
            require_short(problem, str(path))


def program_pieces(design: Design, path: Path) -> Iterator[bytes]:
    """Yield what a file of one of `PROGRAM_SUFFIXES` holds, piece by piece: it may be larger than the memory.

    Raises:
        InputError: for a program of too many rows.
        RefusedError: if the proof does not carry over to the rows of the program.
    """
    suffix = path.suffix.lower()
    if suffix == ".vipr":
        lines = vipr_lines(design)
    else:
        lines = lp_lines(design.problem) if suffix == ".lp" else mps_lines(design.problem)
    while piece := "".join(islice(lines, LINES_IN_PIECE)):
        yield piece.encode()


def notes_on(problem: DesignProblem, paths: Iterable[Path]) -> list[str]:
    """List a line for each file in whole numbers that holds numbers which no float can hold."""
    whole = [path for path in paths if path.suffix.lower() in WHOLE_SUFFIXES]
    note = note_of_long_numbers(state_lp(problem)) if whole else None
    return [f"{path}: {note}" for path in whole] if note else []
