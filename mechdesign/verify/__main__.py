"""The program `python -m mechdesign.verify wm.json`.

It proves designs, laws, workload designs, noise tables, formulas and release records.

The output of a release, a .csv file, is tested against the record before it: `release.json released.csv`. The folder
copied alone runs by `python -S -m verify wm.json` beside it. Exit codes: 0 everything that every file claims
is proved; 1 a claim is false; 2 a file is unreadable, or bad usage.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import output, record, table_release
from .formats import design_claims, read_design
from .proving import Claim
from .texts import UnreadableError, read_json, shown

PROVED, FALSE, UNREADABLE, INTERRUPTED = 0, 1, 2, 130
LONGEST_PATH = 200
USAGE = "usage: python -m mechdesign.verify FILE.json [OUTPUT.csv] ..."
OUTPUT = ".csv"


def belief() -> str:
    """Say what has to be believed."""
    folder = Path(__file__).parent
    sources = sorted(folder.rglob("*.py"))
    lines = sum(len(path.read_bytes().splitlines()) for path in sources)
    python = sys.version.split()[0]
    return (
        f"To be believed: the integers, fractions, JSON and CSV readers and SHA-256 of Python {python}, and the "
        f"{lines} lines of these {len(sources)} files in {ascii(str(folder))[1:-1]}:\n"
        f"  {', '.join(path.relative_to(folder).as_posix() for path in sources)}.\n"
        "No solver, no floating point, no other code. Whether the right problem was asked is for people to judge."
    )


def judge(path: str, known: str | None = None) -> int:
    """Print a line for each claim of a file, and one for all of it; returns the exit code.

    Args:
        path: of the file.
        known: the record that an output is tested against.

    Raises:
        UnreadableError: for what is no document of a known format.
    """
    try:
        words, claims = _opened(read_json(Path(path))) if known is None else _output_of(known, path)
        print(f"{shown_path(path)}: {words}")
        false = total = 0
        for claim in claims:
            total += 1
            false += not claim.true
            print(f"  proved  {claim.claim}" if claim.true else f"  FALSE   {claim.claim} ({claim.detail})")
    except MemoryError:
        raise UnreadableError("too large for the memory") from None
    verdict = f"{false} of {total} claims are false" if false else f"all {total} claims are proved"
    print(f"{shown_path(path)}: {verdict}")
    return FALSE if false else PROVED


def _opened(data: Any) -> tuple[str, Iterator[Claim]]:
    """Return words for what a file holds, and its claims."""
    if isinstance(data, dict) and data.get("format") in record.FORMATS:
        found = record.read_record(data)
        return f"the record of a release; {record.NOT_LOOKED_AT}", record.record_claims(found)
    if isinstance(data, dict) and data.get("format") == table_release.FORMAT:
        release = table_release.read_table_release(data)
        return f"the record of a release of tables; {table_release.NOT_LOOKED_AT}", table_release.release_claims(
            release
        )
    design = read_design(data)
    return design.words, design_claims(design)


def _output_of(known: str, path: str) -> tuple[str, Iterator[Claim]]:
    if not known:
        raise UnreadableError("no record is given before this output")
    data = read_json(Path(known))
    if isinstance(data, dict) and data.get("format") == table_release.FORMAT:
        release = table_release.read_table_release(data)
        return f"the output of {shown_path(known)}", table_release.release_output_claims(release, Path(path))
    if not isinstance(data, dict) or data.get("format") not in record.FORMATS:
        raise UnreadableError(f"{shown_path(known)} before it is no record of a release")
    return f"the output of {shown_path(known)}", output.output_claims(record.read_record(data), Path(path))


def shown_path(path: str) -> str:
    """Write a file's name in plain letters on one line."""
    text = ascii(path)[1:-1]
    return text if len(text) <= LONGEST_PATH else f"...{text[-LONGEST_PATH:]}"


def main(arguments: list[str]) -> int:
    """Judge the files, and return the exit code: a false claim weighs more than an unreadable file."""
    if not arguments or any(name.startswith("-") for name in arguments):
        if arguments in (["-h"], ["--help"]):
            print(f"{USAGE}\n{__doc__}")
            return PROVED
        print(f"verify: {USAGE}, got {shown(' '.join(arguments))}", file=sys.stderr)
        return UNREADABLE
    print(belief(), flush=True)
    codes = set()
    known = ""
    for path in arguments:
        try:
            if path.endswith(OUTPUT):
                codes.add(judge(path, known))
            else:
                known = path
                codes.add(judge(path))
        except UnreadableError as error:
            codes.add(UNREADABLE)
            sys.stdout.flush()
            print(f"verify: {shown_path(path)} is unreadable: {error}", file=sys.stderr)
    sys.stdout.flush()
    return FALSE if FALSE in codes else max(codes)


def run() -> int:
    """Run as a program: whatever happens to the output, end with one line and without a traceback."""
    try:
        if sys.stdout is None or sys.stderr is None:
            raise OSError("closed")
        return main(sys.argv[1:])
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        if sys.stderr is not None:
            print("verify: output could not be written", file=sys.stderr)
        return UNREADABLE


if __name__ == "__main__":
    sys.exit(run())
