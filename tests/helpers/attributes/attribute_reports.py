"""Users with three attributes at the command line: their rows, their reports, and the tables in files."""

import csv
from pathlib import Path

import numpy as np

USERS = 3000
ATTRIBUTES = "column,item\ncc,no\ncc,yes\ntip,no\ntip,yes\nzone,west\nzone,east\nzone,north\n"
PRIVATIZE = ["local", "privatize", "--input", "people.csv", "--domain", "attributes.csv", "--epsilon", 3]
ZONES = ("west", "east", "north")


def write_people(users=USERS):
    """Users whose tip goes with their card; returns the items, shape (users, 3), in the order cc, tip, zone."""
    generator = np.random.default_rng(5)
    card = generator.random(users) < 0.6
    tip = np.where(card, generator.random(users) < 0.7, generator.random(users) < 0.1)
    values = np.stack([card, tip, generator.integers(3, size=users)], axis=1).astype(int)
    words = (("no", "yes"), ("no", "yes"), ZONES)
    rows = [",".join([str(i), words[1][b], words[2][c], words[0][a]]) for i, (a, b, c) in enumerate(values.tolist())]
    Path("people.csv").write_text("\n".join(["id,tip,zone,cc", *rows]) + "\n")
    Path("attributes.csv").write_text(ATTRIBUTES)
    return values


def collected(mechdesign, oracle, *more, name="r.parquet"):
    values = write_people()
    made = mechdesign(*PRIVATIZE, "--oracle", oracle, "-o", name, "--seed", 1, *more)
    assert made.code == 0, made.err
    assert made.out == ""
    return values


def rows_of(path):
    return list(csv.DictReader(Path(path).read_text().splitlines()))
