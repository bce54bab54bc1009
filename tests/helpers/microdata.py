"""Made-up microdata: a row for each household, with its area and whether it is poor."""

import random
from pathlib import Path
from unittest.mock import patch


def write_people(path, areas=25, largest=5, seed=1):
    """Write households of areas of 1..largest, in random order; returns the true (size, poor) of each area."""
    chance = random.Random(seed)
    rows, truth, number = [], {}, 0
    for area in range(areas):
        size = 1 + area % largest
        bits = [int(chance.random() < 0.4) for _ in range(size)]
        truth[f"area {area:04d}"] = (size, sum(bits))
        for bit in bits:
            number += 1
            rows.append(f"h{number},area {area:04d},{bit}\n")
    chance.shuffle(rows)
    Path(path).write_text("id,area,poor\n" + "".join(rows))
    return truth


def without_canonical():
    """A context in which any best design is taken, as before records of the fourth version."""
    return patch("mechdesign.canonical.has_canonical", lambda _: False)


COUNTED = ("--bit", "poor", "--group", "area")
HOUSEHOLDS = ("--input", "people.csv", *COUNTED, "--unit", "household", "--unit-column", "id")
"""The options that release them."""


def write_lognormal_people(path, areas, people, seed):
    """Write so many people, in areas of lognormal sizes; returns the number of poor ones."""
    chance = random.Random(seed)
    weights = [chance.lognormvariate(0, 0.8) for _ in range(areas)]
    rows, poor = [], 0
    for area, weight in enumerate(weights):
        share = chance.betavariate(2, 8)
        for _ in range(max(1, round(people * weight / sum(weights)))):
            one = chance.random() < share
            poor += one
            rows.append(f"area {area:04d},{'yes' if one else 'no'}\n")
    chance.shuffle(rows)
    Path(path).write_text("area,poor\n" + "".join(rows))
    return poor


def write_lognormal_table(path, areas, seed, largest=10**6):
    """Write a table of areas with their true counts, of lognormal sizes up to the largest; returns the sum."""
    chance = random.Random(seed)
    lines, poor = ["area,poor,people\n"], 0
    for area in range(areas):
        people = min(largest, max(1, round(chance.lognormvariate(7, 2))))
        count = int(people * chance.betavariate(2, 8))
        poor += count
        lines.append(f"area {area:05d},{count},{people}\n")
    Path(path).write_text("".join(lines))
    return poor
