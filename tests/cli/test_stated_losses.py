"""No privacy loss that is printed or written is below the truth, in any command, table, document or picture."""

import re
import shlex
from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mechdesign.problem.privacy import epsilon_bounds

NUMBER = re.compile(r"(?<![\w.])[0-9]+\.[0-9]+(?:e-?[0-9]+)?(?![\w.]*[0-9])")
NEAR = Fraction(1, 500)
"""A number this close to the loss, of itself, is taken for it: four digits rounded down are."""

TRUE_LOSS = Fraction(1, 10**13), Fraction(1, 10**7)
"""Oracles really lose so much less than they claim, of itself, and say it: that is no rounding."""

ALPHAS = {"1/3": 1.0986122886681098, "0.6": 0.5108256237659907, "0.9": 0.10536051565782628}

LINES = """
solve --n 3 --alpha {a} --json
solve --n 3 --alpha {a} --props WH -o d.json -o d.npz --plot d.svg
solve --model ldp --k 3 --alpha {a} -o l.json
solve --model metric --distances half.csv --alpha {a} -o m.json
check d.json --alpha {a} --json
check d.json --alpha {a} --props WH
check l.json --json
derive d.json --json
derive d.json --plot r.svg
catalog GM --n 3 --alpha {a} -o g.csv --plot g.svg
check g.csv --alpha {a}
catalog RS+FD --domains 3,4 --alpha {a}
catalog RS+FD --domains 3,4 --alpha {a} --json
catalog SPL --domains 3,4 --alpha {a}
landscape --n 2 --alpha {a} --json
landscape --n 2 --alpha {a} --plot l.svg -o l.csv
sweep --n 2,3 --alpha {a} --jobs 1 -o s.csv --plot s.svg
local oracles --k 5 --alpha {a}
local oracles --k 5 --alpha {a} --json
local privatize --oracle oue --alpha {a} --input values.csv --domain d.txt -o r.parquet
local aggregate r.parquet --plot f.svg
local aggregate r.parquet --json
compare --data constant:1 --people 40 --n 4 --alpha {a} --mechanisms GM --metric rmse --repetitions 1 --json
compare --data constant:1 --people 40 --n 4 --alpha {a} --mechanisms GM --metric rmse --plot c.svg -o c.csv
local compare --data zipf:1 --k 4 --people 50 --alpha {a} --oracles grr,laplace --metric rmse --repetitions 1 --json
local compare --data zipf:1 --k 4 --people 50 --alpha {a} --oracles grr --metric rmse --plot o.svg -o o.csv
release --input people.csv --bit b --group g --alpha {a} -o rel.csv --record rel.json --statement rel.txt
check rel.json
check rel.csv --record rel.json --json
estimate rel.csv --record rel.json --json
"""


@pytest.fixture
def workshop(mechdesign):
    Path("half.csv").write_text("0,0.5\n0.5,0\n")
    Path("values.csv").write_text("city\nCork\nDerry\n")
    Path("d.txt").write_text("Cork\nDerry\n")
    Path("people.csv").write_text("b,g\n0,x\n1,x\n1,y\n0,y\n1,y\n")
    return mechdesign


def written():
    """The text of every file, headers of Parquet files among them."""
    for path in Path().iterdir():
        if path.suffix == ".parquet":
            yield path.name, str(pq.ParquetFile(path).metadata.metadata)
        elif path.suffix not in (".npz", ".png"):
            yield path.name, path.read_text()


def losses_below(text, alpha):
    """Numbers of a text that seem to be the loss of alpha and are less."""
    low, _ = epsilon_bounds(alpha)
    numbers = (Fraction(found) for found in NUMBER.findall(text))
    found = [number for number in numbers if low * (1 - NEAR) < number < low]
    return [str(float(number)) for number in found if not TRUE_LOSS[0] < 1 - number / low < TRUE_LOSS[1]]


@pytest.mark.slow
@pytest.mark.parametrize("alpha", ["1/3"])
def test_no_loss_is_below_the_truth(workshop, alpha):
    seen_at_all = 0
    for line in LINES.strip().splitlines():
        seen = workshop(*shlex.split(line.format(a=alpha)))
        assert seen.code in (0, 1), (line, seen.err)
        low, _ = epsilon_bounds(Fraction(alpha))
        for where, text in (("stdout", seen.out), ("stderr", seen.err), *written()):
            below = losses_below(text, Fraction(alpha))
            assert not below, (line, where, below)
            seen_at_all += any(low <= Fraction(found) < low * (1 + NEAR) for found in NUMBER.findall(text))
    assert seen_at_all > 20


def test_the_search_finds_what_is_rounded_down():
    for alpha, loss in ALPHAS.items():
        assert losses_below(f"epsilon = {loss - 1e-15:.16f}, 1", Fraction(alpha))
        assert not losses_below(f"epsilon = {loss + 1e-9:.12f}, 1", Fraction(alpha))
    assert losses_below("1.09861-LDP", Fraction(1, 3)) == ["1.09861"]
    assert losses_below("1.0986 of", Fraction(1, 3)) == ["1.0986"]
