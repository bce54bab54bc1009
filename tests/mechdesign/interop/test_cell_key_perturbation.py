"""The ONS's package applies a table that we exported, and its results have the chances of our rows."""

import subprocess
import sys
from collections import Counter

import pytest
from scipy.stats import chi2

import mechdesign as md
from mechdesign.documents.noise_tables import noise_table_text

THEIRS = """
import sys
import pandas
from cell_key_perturbation.create_perturbed_table import create_perturbed_table

table = create_perturbed_table(
    pandas.read_csv("people.csv"), pandas.read_csv("ons.csv"), [], ["cell"], "record_key", threshold=0
)
table[["cell", "pre_sdc_count", "count"]].to_csv("cells.csv", index=False)
"""


@pytest.mark.slow
def test_their_package_applies_our_table(tmp_path):
    pytest.importorskip("cell_key_perturbation", reason="cell-key-perturbation is not installed")
    design = md.design_noise_table(
        noise=5, variance=3, block=2, guarantees=["1@1", "1@large"], objective="delta", keys=256
    )
    (tmp_path / "ons.csv").write_text(noise_table_text(design.mechanism, "ons"))
    lines = [f"{cell},{(cell * 37 + k * 101) % 256}" for cell in range(2000) for k in range(9)]
    (tmp_path / "people.csv").write_text("cell,record_key\n" + "\n".join(lines) + "\n")
    subprocess.run([sys.executable, "-c", THEIRS], cwd=tmp_path, check=True, capture_output=True)
    rows = [line.split(",") for line in (tmp_path / "cells.csv").read_text().splitlines()[1:]]
    assert {float(before) for _, before, _ in rows} == {9}
    noises = Counter(int(float(after)) - 9 for _, _, after in rows)
    expected = {v: 2000 * float(design.mechanism.chance(8, v)) for v, _ in design.mechanism.rows[8]}
    assert set(noises) <= set(expected)
    assert len(rows) == 2000
    statistic = sum((noises[v] - mean) ** 2 / mean for v, mean in expected.items())
    assert statistic < chi2.isf(1e-9, len(expected) - 1)
