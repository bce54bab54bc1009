"""Users with one city each, or hours of work, and the reports that `mechdesign local privatize` makes of them."""

from pathlib import Path

import numpy as np

CITIES = ["Cork", "Galway", "Dublin", "Belfast", "Derry", "Sligo", "Athlone"]


USERS = 4000


def write_cities(users=USERS):
    """A CSV file of who lives where, and the public list of cities; returns the true shares."""
    shares = np.array([0.3, 0.05, 0.4, 0.1, 0.05, 0.1, 0.0])
    values = np.repeat(np.arange(7), (shares * users).round().astype(int))
    rows = [f"{number},{CITIES[value]}" for number, value in enumerate(values)]
    Path("values.csv").write_text("\n".join(["id,city", *rows]) + "\n")
    Path("cities.txt").write_text("\n".join(CITIES) + "\n")
    return np.bincount(values, minlength=7) / len(values)


PRIVATIZE = ["local", "privatize", "--input", "values.csv", "--column", "city", "--domain", "cities.txt"]


def make_reports(mechdesign, name="r.parquet", oracle="grr", epsilon=1, users=100):
    write_cities(users)
    assert mechdesign(*PRIVATIZE, "--oracle", oracle, "--epsilon", epsilon, "-o", name, "--seed", 1).code == 0


def write_hours(hours, users=3000):
    rows = [f"u{number},{hours[number % len(hours)]}" for number in range(users)]
    Path("hours.csv").write_text("\n".join(["user,hours", *rows]) + "\n")


MEAN = ["local", "privatize", "--oracle", "onebitmean", "--maximum", 24, "--epsilon", 2, "--input", "hours.csv"]
