"""Sums of a ledger, held against logarithms of 100 digits and against a search over units."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign.ledgers.composition import Balance, composed_alpha, cost_of, fits_budget
from mechdesign.ledgers.entry import Charge, Entry, EntryState
from mechdesign.ledgers.table import epsilon_interval
from mechdesign.problem.privacy import Privacy, epsilon_bounds

LOGARITHMS = Context(prec=100)
PARTS = ("", "north", "south", "east")
TINY = Decimal("1e-80")


def entry(alpha, part="", state=EntryState.DELIVERED, hint="", memory=""):
    return Entry(1, "set", part, "release", Fraction(alpha), state, "", "", hint, memory, "", "")


alphas = st.fractions(min_value=Fraction(1, 50), max_value=1, max_denominator=10**6)
entries = st.lists(st.builds(entry, alphas, st.sampled_from(PARTS), st.sampled_from(EntryState)), max_size=12)


@pytest.fixture(autouse=True)
def many_digits():
    with localcontext() as context:
        context.prec = 100
        yield


def loss(alpha):
    return Decimal(alpha.denominator).ln() - Decimal(alpha.numerator).ln()


def loss_of_unit(paid, part):
    """What a unit of that part has got, by adding logarithms of many digits."""
    counted = [one for one in paid if one.part in ("", part) and one.state is not EntryState.CANCELLED]
    return sum((loss(one.alpha) for one in counted), Decimal(0))


@given(entries)
def test_the_unit_that_has_spent_most(paid):
    worst = max(loss_of_unit(paid, part) for part in (*PARTS, "nobody's"))
    low, high = Balance("set", Fraction(9), composed_alpha(paid), len(paid), 0).epsilon
    assert Decimal(low.numerator) / low.denominator <= worst + TINY
    assert Decimal(high.numerator) / high.denominator >= worst - TINY
    assert high - low < Fraction(1, 10**45)


@given(entries, st.sampled_from(PARTS[1:]))
def test_a_unit_of_one_part(paid, part):
    assert abs(loss(composed_alpha(paid, part)) - loss_of_unit(paid, part)) < TINY


@given(alphas.filter(lambda alpha: alpha < 1))
def test_epsilon_lies_between_its_floats(alpha):
    low, high = epsilon_interval(alpha)
    assert Decimal(low) < loss(alpha) < Decimal(high)
    assert Decimal(repr(low)) < loss(alpha) < Decimal(repr(high))
    assert high - low <= 1e-15 * max(1.0, high)


def test_nothing_is_nothing():
    assert composed_alpha([]) == 1
    assert epsilon_interval(Fraction(1)) == (0.0, 0.0)
    assert fits_budget(Fraction(1), Fraction(1, 10**40))


LN3 = str(LOGARITHMS.ln(3))


@pytest.mark.parametrize("digits", [10, 40])
def test_the_budget_is_compared_beyond_floats(digits):
    below = Fraction(LN3[: digits + 2])
    assert not fits_budget(Fraction(1, 3), below)
    assert fits_budget(Fraction(1, 3), below + Fraction(1, 10**digits))


def test_what_is_not_proved_does_not_fit():
    low, high = epsilon_bounds(Fraction(1, 3))
    assert (fits_budget(Fraction(1, 3), low), fits_budget(Fraction(1, 3), high)) == (False, True)


def test_two_halves_of_an_epsilon_fit_it():
    """Each alpha is rounded up from exp(-1/2), so their product is above exp(-1)."""
    half = Privacy(epsilon="0.5").alpha
    assert fits_budget(half**2, Fraction(1))
    assert not fits_budget(half**2 * Fraction(999_999, 1_000_000), Fraction(1))


class TestMemories:
    """What rounds cost whose answers are drawn once."""

    charge = Charge("collection", Fraction(1, 2), memory="m", answers=2)

    def test_the_first_round_and_another(self):
        assert cost_of(self.charge, "", "h", []) == Fraction(1, 2)
        assert cost_of(self.charge, "", "h", [entry("1/2", hint="g", memory="m")]) == Fraction(1, 2)

    def test_the_same_file_again(self):
        assert cost_of(self.charge, "", "h", [entry("1/2", hint="h", memory="m")]) == 1

    def test_a_file_that_is_unknown_is_never_the_same(self):
        assert cost_of(self.charge, "", "", [entry("1/2", memory="m")]) == Fraction(1, 2)

    @pytest.mark.parametrize(
        "other",
        [
            entry("1/2", hint="h", memory="n"),
            entry("1/2", hint="h", memory=""),
            entry("1/2", hint="h", memory="m", state=EntryState.CANCELLED),
            entry("1/2", hint="h", memory="m", part="south"),
        ],
        ids=["another memory", "no memory", "cancelled", "another part"],
    )
    def test_what_does_not_count(self, other):
        assert cost_of(self.charge, "north", "h", [other, other, other]) == Fraction(1, 2)

    def test_all_answers_are_paid(self):
        paid = [entry("1/2", hint=f"h{number}", memory="m") for number in range(2)]
        assert cost_of(self.charge, "", "h", paid) == 1
        free = [paid[0], entry(1, hint="h0", memory="m"), entry(1, hint="h0", memory="m")]
        assert cost_of(self.charge, "", "h", free) == Fraction(1, 2)

    def test_what_all_paid_counts_for_a_part_and_not_the_other_way_about(self):
        paid = [entry("1/2", hint="g", memory="m"), entry("1/2", hint="g", memory="m", part="north")]
        assert cost_of(self.charge, "north", "h", paid) == 1
        assert cost_of(self.charge, "", "h", paid) == Fraction(1, 2)

    def test_without_a_memory_every_draw_costs(self):
        charge = Charge("collection", Fraction(1, 2))
        assert cost_of(charge, "", "h", [entry("1/2", hint="h")] * 5) == Fraction(1, 2)
