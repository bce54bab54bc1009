"""CPU seconds of noise tables: designs, most entropy, keys, the audit of a file of 750 rows, a million rows released.

    python tests/benchmarks/noise_tables.py

Each figure is that of a whole process, with its largest memory. Beside the release stands the ONS's package, if it is
installed: from a frame that is loaded, without noise of its own for each cell, promise or record.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

DESIGN = ("table", "design", "--block", "2")
THREE = ("--objective", "delta", "--guarantee", "1/2@1", "--guarantee", "1@1=4", "--guarantee", "2@1=30")
FIVE = (*DESIGN, "--noise", "5", "--variance", "3")
ROWS = 1_000_000
THEIRS = """
import time, pandas
from cell_key_perturbation.create_perturbed_table import create_perturbed_table
people, table = pandas.read_csv("people.csv"), pandas.read_csv("ons.csv")
people["key"] = people["id"] % 256
started = time.process_time()
for by in (["a", "b"], ["a"], ["b"]):
    create_perturbed_table(people, table, [], by, "key")
print(time.process_time() - started)
"""


def measured(*command: str, program: str = "mechdesign_cli") -> tuple[float, float]:
    """Run a command, and return its CPU seconds and megabytes; the memory is the largest of all so far."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    quiet = () if program.endswith("verify") else ("-q",)
    subprocess.run([sys.executable, "-m", program, *command, *quiet], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss / 1024


def tell(what: str, figures: tuple[float, float]) -> None:
    """Print a line."""
    print(f"{what:60} {figures[0]:7.2f} s {figures[1]:7.0f} MB")


def main() -> None:
    """Measure everything in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        tell("start of the program", measured("catalog"))
        for noise, variance in ((5, 3), (10, 5), (20, 10)):
            asked = (*DESIGN, "--noise", str(noise), "--variance", str(variance))
            tell(f"D = {noise}, three epsilons, exact", measured(*asked, *THREE, "-o", "t.json"))
            tell(f"D = {noise}, verify", measured("t.json", program="mechdesign.verify"))
            tell(f"D = {noise}, most entropy", measured(*asked, "--guarantee", "1:0.02@1", "-o", "e.json"))
        keyed = ("--objective", "delta", "--symmetric", "--guarantee", "1@1", "--guarantee", "1@large", "--keys", "256")
        tell("D = 5, 256 keys", measured(*FIVE, *keyed, "-o", "k.json"))
        measured("table", "export", "k.json", "--for", "ons", "-o", "ons.csv")
        tell("750 rows, three epsilons", measured("check", "ons.csv"))
        draw = random.Random(1)
        lines = (f"{draw.randrange(20)},{draw.randrange(50)},{number}\n" for number in range(ROWS))
        Path("people.csv").write_text("a,b,id\n" + "".join(lines))
        files = ("--secret", "s", "--name", "n", "-o", "cells.csv", "--record", "r.json")
        asked = ("--table", "e.json", "--input", "people.csv", "--by", "a,b")
        tell(f"{ROWS:,} rows", measured("table", "apply", *asked, *files))
        theirs = subprocess.run([sys.executable, "-c", THEIRS], capture_output=True, text=True, check=False)
        last = (theirs.stdout.split() or ["not installed"])[-1]
        print(f"{'the same by cell-key-perturbation, from a loaded frame':60} {last}")


if __name__ == "__main__":
    main()
