"""Any mixture and any product of any parts: law, alpha, draws and sums follow from those of the parts."""

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
from wording import refused

from mechdesign.errors import InputError, NoAnswerError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.facts.information import of_law
from mechdesign_catalog.randomizers.mixture import FEW_BRANCHES, Mixture
from mechdesign_catalog.randomizers.oracle import LocalOracle, OracleBase
from mechdesign_catalog.randomizers.product import Hidden, SideBySide
from mechdesign_catalog.randomizers.reports.contributions import require_sums
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.attributes.one_way import TupleOracle
from mechdesign_catalog.systems.attributes.rsfd import FakedGrr, FakedOue
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.hadamard import Hrr
from mechdesign_catalog.systems.flat.unary import Oue

KINDS = {"grr": Grr, "oue": Oue, "hrr": Hrr}


@dataclass(frozen=True)
class Coded(Mixture, OracleBase):
    """A mixture of anything: `codes[b][v]` is what part b hears of item v."""

    branch_weights: tuple[int, ...] = ()
    parts: tuple[Grr | Oue | Hrr, ...] = ()
    codes: tuple[tuple[int, ...], ...] = ()
    together: bool = False
    name: ClassVar[str] = "coded"
    time_class: ClassVar[str] = "N + k"
    branch_column: ClassVar[str] = "place"
    first_number: ClassVar[int] = 3

    @property
    def parameters(self):
        return {"oracle": self.name, "k": self.k}

    @property
    def inputs(self):
        return np.arange(self.k)

    @property
    def calls(self):
        if not self.together:
            return [[branch] for branch in range(self.branches)]
        return [[b for b, own in enumerate(self.parts) if own == part] for part in dict.fromkeys(self.parts)]

    def encode(self, branch, values):
        return np.array(self.codes[branch])[values]

    def own_constants(self):
        return {}

    def worst_bias(self, liars):
        return None


@st.composite
def mixtures(draw):
    k, branches = draw(st.integers(2, 5)), draw(st.integers(1, 2 * FEW_BRANCHES))
    parts, codes = [], []
    for _ in range(branches):
        nodes, alpha = draw(st.integers(2, 4)), draw(st.sampled_from(["1/2", "1/3", "3/4"]))
        parts.append(KINDS[draw(st.sampled_from(sorted(KINDS)))](nodes, Privacy(alpha=alpha)))
        codes.append(tuple(draw(st.lists(st.integers(0, nodes - 1), min_size=k, max_size=k))))
    weights = tuple(draw(st.lists(st.integers(1, 5), min_size=branches, max_size=branches)))
    return Coded(k, Privacy(alpha="1/4"), weights, tuple(parts), tuple(codes), draw(st.booleans()))


@settings(max_examples=30, deadline=None)
@given(mixtures())
def test_the_law_is_a_mixture_and_alpha_its_least_ratio_of_parts(oracle):
    law = oracle.report_law()
    for item in range(oracle.k):
        assert sum(row[item] for row in law.values()) == 1
        for branch, weight in enumerate(oracle.branch_weights):
            own = sum(row[item] for report, row in law.items() if report[0] == branch + 3)
            assert own == Fraction(weight, sum(oracle.branch_weights))
    assert min(min(row) / max(row) for row in law.values()) >= oracle.alpha
    assert oracle.alpha == min(min(map(min_ratio, part.report_law().values())) for part in oracle.parts)
    assert oracle.information().matrix == pytest.approx(of_law(law, np.ones(oracle.k, dtype=np.int64)))


def min_ratio(row):
    return min(row) / max(row)


@settings(max_examples=30, deadline=None)
@given(mixtures(), st.integers(0, 60), st.integers(0, 2**32))
def test_sums_are_those_of_each_branchs_own_reports(oracle, users, seed):
    items = np.random.default_rng(seed).integers(oracle.k, size=users)
    reports = oracle.privatize(items, seeded_words(seed))
    state = oracle.aggregate(reports)
    numbers, messages = reports.columns["place"].tolist(), oracle.report_schema.messages(reports)
    known = {report for report, row in oracle.report_law().items() if all(row)}
    assert all((number, *message[5:]) in known for number, message in zip(numbers, messages, strict=True))
    counts, expected = Counter(numbers), []
    for branch, part in enumerate(oracle.parts):
        own = [message[5:] for number, message in zip(numbers, messages, strict=True) if number == branch + 3]
        empty = np.zeros((0, part.report_schema.width), dtype=np.uint8)
        packed = np.array([list(message) for message in own], dtype=np.uint8) if own else empty
        expected.append(part.aggregate(part.report_schema.unpack(packed, part.parameters)).sums)
    assert state.sums.tolist() == [*(counts[b + 3] for b in range(oracle.branches)), *np.concatenate(expected)]
    assert require_sums(oracle.contribution, state.sums, users) is state.sums
    if users:
        assert [own.sums.tolist() for own in oracle.part_states(state)] == [sums.tolist() for sums in expected]
        assert oracle.users_of(state).tolist() == [counts[b + 3] for b in range(oracle.branches)]


def test_parts_that_are_drawn_together_keep_their_users():
    """With alpha near 0 a report is what was heard."""
    exact = tuple(Grr(4, Privacy(alpha=Fraction(1, 10**18))) for _ in range(20))
    codes = tuple(tuple((branch + item) % 4 for item in range(4)) for branch in range(20))
    for together, weights in ((False, (1,) * 20), (True, tuple(range(20, 40)))):
        oracle = Coded(4, Privacy(alpha="1/2"), weights, exact, codes, together)
        items = np.arange(40000) % 4
        reports = oracle.privatize(items, seeded_words(5))
        places = reports.columns["place"].astype(np.int64) - 3
        assert (reports.columns["report"].data == (places + items) % 4).all()
        expected = 40000 * np.array(weights) / sum(weights)
        assert (np.abs(np.bincount(places, minlength=20) - expected) < 5 * np.sqrt(expected)).all()


def test_states_and_numbers_of_users_are_refused():
    oracle = Coded(2, Privacy(alpha="1/2"), (1, 2), (Grr(2, Privacy(alpha="1/2")),) * 2, ((0, 1), (1, 0)))
    with refused(InputError):
        oracle.users_of(State(oracle.parameters, 5, np.array([3, 1, 3, 0, 1, 0])))
    with refused(InputError):
        oracle.part_states(State(oracle.parameters, 5, np.array([3, 2, 3, 0, 1])))
    for wrong in (np.array([1.0]), np.array([-1.0, 2.0]), np.zeros(2)):
        with refused(InputError, about="users"):
            oracle.users_by_branch(wrong)
    with refused(InputError, about="users"):
        oracle.users_by_branch(1)
    assert oracle.users_by_branch(6) == pytest.approx([2, 4])
    error = oracle.without_reports(1, 7)
    assert isinstance(error, NoAnswerError)
    assert str(error).startswith("place 2 must have a report, got none from 7 users")


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


@settings(max_examples=20, deadline=None)
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


@settings(max_examples=20, deadline=None)
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
        alone = part.report_schema.reports(part.parameters, *(next(columns) for _ in part.report_schema.names))
        assert part.aggregate(alone).sums.tolist() == own.sums.tolist()
    if all(part.can_simulate_sums for part in oracle.parts):
        drawn = oracle.simulate_sums(values, np.random.default_rng(seed))
        require_sums(oracle.contribution, drawn.sums, drawn.users)


def test_reports_of_a_wrong_part_are_refused_by_the_attribute():
    oracle = Beside((3, 4), Privacy(alpha=Fraction(1, 9)), (Grr(3, Privacy(epsilon=1)), Grr(4, Privacy(epsilon=1))))
    reports = oracle.privatize(np.zeros((3, 2), dtype=np.int64), seeded_words(1))
    reports.columns["item_2"][1] = 9
    with refused(InputError):
        oracle.aggregate(reports)
