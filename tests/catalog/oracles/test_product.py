"""Any product of any parts, and any with one real part: law, alpha, draws and sums follow from those of the parts."""

import itertools
import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.multidimensional.one_way import TupleOracle
from mechdesign_catalog.multidimensional.rsfd import FakedGrr, FakedOue
from mechdesign_catalog.oracles.contributions import require_sums
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.hadamard import Hrr
from mechdesign_catalog.oracles.kinds.unary import Oue
from mechdesign_catalog.oracles.oracle import LocalOracle
from mechdesign_catalog.oracles.product import Hidden, SideBySide


@dataclass(frozen=True)
class Beside(SideBySide, TupleOracle):
    """A product of anything."""

    parts: tuple[Grr | Oue | Hrr, ...] = ()
    name: ClassVar[str] = "beside"
    checked_state = LocalOracle.checked_state  # sums of some parts are no counts


@dataclass(frozen=True)
class OneReal(Hidden, TupleOracle):
    """One real part among any."""

    parts: tuple[FakedGrr | FakedOue, ...] = ()
    name: ClassVar[str] = "one-real"


privacies = st.integers(1, 5).map(lambda most: Privacy(alpha=Fraction(most, 6)))


@st.composite
def beside(draw):
    kinds = draw(st.lists(st.sampled_from([Grr, Oue, Hrr]), min_size=1, max_size=2))
    parts = tuple(kind(draw(st.integers(2, 4)), draw(privacies)) for kind in kinds)
    return Beside(tuple(part.k for part in parts), Privacy(alpha=Fraction(1, 9)), parts)


@st.composite
def one_real(draw):
    kinds, privacy = draw(st.lists(st.sampled_from([FakedGrr, FakedOue]), min_size=1, max_size=3)), draw(privacies)
    parts = tuple(kind(draw(st.integers(2, 3)), privacy, len(kinds)) for kind in kinds)
    return OneReal(tuple(part.k for part in parts), privacy, parts)


@settings(max_examples=40, deadline=None)
@given(beside() | one_real())
def test_alpha_is_that_of_the_joint_law_over_any_change(oracle):
    law, tuples = oracle.report_law(), oracle.tuples()
    assert all(sum(column) == 1 for column in zip(*law.values(), strict=True))
    for changed in itertools.chain.from_iterable(
        itertools.combinations(range(len(oracle.domains)), size) for size in range(1, len(oracle.domains) + 1)
    ):
        kept = [j for j in range(len(oracle.domains)) if j not in changed]
        pairs = [
            (a, b) for (a, x), (b, z) in itertools.permutations(enumerate(tuples), 2) if all(x[j] == z[j] for j in kept)
        ]
        seen = min(row[a] / row[b] for row in law.values() for a, b in pairs)
        assert oracle.changed_alpha(changed) == seen


@settings(max_examples=40, deadline=None)
@given(one_real())
def test_the_law_of_an_attribute_is_that_of_its_part(oracle):
    law, tuples = oracle.report_law(), oracle.tuples()
    for j, part in enumerate(oracle.parts):
        widths = [len(next(iter(own.report_law()))) for own in oracle.parts]
        places = slice(sum(widths[:j]), sum(widths[: j + 1]))
        found = Counter()
        for report, row in law.items():
            for x, chance in zip(tuples, row, strict=True):
                found[report[places], x[j]] += chance
        others = math.prod(oracle.domains) // part.k
        assert found == {
            (report, v): others * chance for report, row in part.report_law().items() for v, chance in enumerate(row)
        }
        chances = [min(row) / max(row) for row in part.report_law().values()]
        assert part.alpha == min(chances)


@settings(max_examples=30, deadline=None)
@given(beside() | one_real(), st.integers(0, 2**32))
def test_sums_are_those_of_each_parts_own_reports(oracle, seed):
    values = np.array(oracle.tuples() * 5)
    reports = oracle.privatize(values, seeded_words(seed))
    state = oracle.aggregate(reports)
    require_sums(oracle.contribution, state.sums, state.users)
    columns = iter(reports.columns.values())
    for part, own in zip(oracle.parts, oracle.part_states(state), strict=True):
        alone = part.wire.reports(part.parameters, *(next(columns) for _ in part.wire.names))
        assert part.aggregate(alone).sums.tolist() == own.sums.tolist()
    if all(part.sums_have_law for part in oracle.parts):
        drawn = oracle.draw_state(values, np.random.default_rng(seed))
        require_sums(oracle.contribution, drawn.sums, drawn.users)


def test_reports_of_a_wrong_part_are_refused_by_the_attribute():
    oracle = Beside((3, 4), Privacy(alpha=Fraction(1, 9)), (Grr(3, Privacy(epsilon=1)), Grr(4, Privacy(epsilon=1))))
    reports = oracle.privatize(np.zeros((3, 2), dtype=np.int64), seeded_words(1))
    reports.columns["item_2"][1] = 9
    with pytest.raises(InputError, match=r"of attribute 2$|item_2"):
        oracle.aggregate(reports)
