"""The exact facts of every system are what they were: they stand in digests of tasks, and clients compute with them.

`python tests/helpers/stated_facts.py` writes the digests anew, after a change that moves a fact on purpose and is in
the changelog. What moved is seen in the rows themselves, of both commits: `--rows FILE`.
"""

import json

import pytest
import stated_facts
from stated_facts import GOLDEN

from mechdesign_catalog.systems.mean import MEAN_ORACLES
from mechdesign_catalog.systems.registry import READABLE
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES


@pytest.mark.slow
@pytest.mark.parametrize("made", [stated_facts.rows, stated_facts.floats], ids=["facts", "floats"])
def test_facts_are_what_they_were(made):
    known = json.loads(GOLDEN.read_text(encoding="utf-8"))[made.__name__]
    found = {name: stated_facts.digest(text) for name, text in made()}
    assert [name for name in known if found.get(name) != known[name]] == []
    assert found.keys() == known.keys(), "tests/catalog/golden_facts.json is written by tests/helpers/stated_facts.py"


@pytest.mark.slow
def test_weights_of_levels_are_what_they_were():
    """But for the last bit of a float, which may move a whole part by one; at some of the sizes."""
    known = json.loads(GOLDEN.read_text(encoding="utf-8"))["weights"]
    places = [*range(0, len(stated_facts.MANY), 11), -3, -2, -1]
    sizes = [stated_facts.MANY[place] for place in places]
    for name, found in stated_facts.weights(sizes):
        for k, one, other in zip(sizes, found, [known[name][place] for place in places], strict=True):
            pairs = zip(one.split("-"), other.split("-"), strict=True)
            assert all(abs(int(new) - int(old)) <= 1 for new, old in pairs), (name, k)


def test_every_system_is_among_them():
    known = json.loads(GOLDEN.read_text(encoding="utf-8"))["rows"]
    for name in {*READABLE, *MARGINAL_ORACLES, *MEAN_ORACLES}:
        is_there = any(row.split(" ")[0] == name or row.startswith(f"{name}:") for row in known)
        assert is_there, (
            f"run python tests/helpers/stated_facts.py; a system that is not flat must be listed in it first: {name}"
        )
