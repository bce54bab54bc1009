"""Made-up microdata: a row for each household, with its area and whether it is poor."""

import random
from pathlib import Path


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


COUNTED = ("--bit", "poor", "--group", "area")
HOUSEHOLDS = ("--input", "people.csv", *COUNTED, "--unit", "household", "--unit-column", "id")
"""The options that release them."""
