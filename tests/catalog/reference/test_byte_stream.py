"""Draws from random bytes have their law exactly: all streams of a few bytes are gone through."""

import math
from fractions import Fraction

import pytest
from draw_tree import law_of, law_of_bytes
from wording import refused

from mechdesign import InputError
from mechdesign_catalog.reference.byte_stream import ByteStream, randomised_response, uniform_subset


def exact_law(client, length):
    """What all streams of this length decide, given that they do."""
    law, left = law_of_bytes(client, length)
    assert sum(law.values()) == 1 - left
    return {made: chance / (1 - left) for made, chance in law.items()}, left


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 10, 128, 129, 255, 256])
def test_numbers_below_a_bound_of_one_byte_are_uniform(bound):
    law, left = exact_law(lambda draws: draws.uniform_below(bound), 1)
    assert law == dict.fromkeys(range(bound), Fraction(1, bound))
    assert left == Fraction(256 % bound, 256)


@pytest.mark.slow
@pytest.mark.parametrize("bound", [257, 32769])
def test_numbers_below_a_bound_of_two_bytes_are_uniform(bound):
    law, left = exact_law(lambda draws: draws.uniform_below(bound), 2)
    assert law == dict.fromkeys(range(bound), Fraction(1, bound))
    assert left == Fraction(65536 % bound, 65536)


@pytest.mark.parametrize("bound", [3, 129, 200])
def test_a_rejected_number_is_drawn_anew(bound):
    """The second byte decides by the same rule, so whatever number of bytes it takes, the law is uniform."""
    law, left = exact_law(lambda draws: draws.uniform_below(bound), 2)
    assert law == dict.fromkeys(range(bound), Fraction(1, bound))
    assert left == Fraction(256 % bound, 256) ** 2


def test_the_first_byte_counts_least_and_rejection_begins_at_the_last_whole_multiple():
    assert ByteStream.of(bytes([1, 2])).uniform_below(65536) == 0x0201
    assert ByteStream.of(bytes([1, 2, 0])).uniform_below(65537) == 0x0201
    limit = (256**3 - 256**3 % 1_000_000).to_bytes(3, "little")
    stream = ByteStream.of(limit + bytes([5, 0, 0]))
    assert (stream.uniform_below(1_000_000), stream.taken) == (5, 6)


@pytest.mark.parametrize("probability", ["0", "1", "1/2", "1/3", "2/3", "254/255", "1/129", "200/201"])
def test_bernoulli_draws_have_their_probability(probability):
    law, left = exact_law(lambda draws: draws.bernoulli(Fraction(probability)), 1)
    one = Fraction(probability)
    assert law == {outcome: chance for outcome, chance in ((1, one), (0, 1 - one)) if chance}
    assert left == Fraction(256 % one.denominator, 256)


def test_sure_draws_read_nothing():
    stream = ByteStream.of(b"")
    assert (stream.bernoulli(Fraction(0)), stream.bernoulli(Fraction(1)), stream.uniform_below(1)) == (0, 1, 0)
    assert (stream.choose([0, 1]), uniform_subset(stream, 4, 0), stream.taken) == (1, (), 0)


@pytest.mark.parametrize("weights", [(1,), (1, 1, 1), (2, 0, 5, 1), (0, 3), (100, 0, 0, 155)])
def test_choices_have_their_weights(weights):
    law, _ = exact_law(lambda draws: draws.choose(weights), 1)
    assert law == {i: Fraction(weight, sum(weights)) for i, weight in enumerate(weights) if weight}


def test_draws_are_those_of_the_page_where_others_have_the_same_law():
    def drawn(draw, *streams):
        return [draw(ByteStream.of(bytes(stream))) for stream in streams]

    each = [[byte] for byte in range(5)]
    assert drawn(lambda stream: stream.choose([2, 0, 3]), *each) == [0, 0, 2, 2, 2]
    assert drawn(lambda stream: stream.bernoulli(Fraction(2, 5)), *each) == [1, 1, 0, 0, 0]
    assert drawn(lambda stream: uniform_subset(stream, 4, 2), [0, 0], [1, 0], [2, 2]) == [(0, 3), (0, 1), (2, 3)]
    answers = drawn(lambda stream: randomised_response(stream, 1, 4, Fraction(1, 2)), [0], [1, 0], [1, 1], [1, 2])
    assert answers == [1, 0, 2, 3]


@pytest.mark.parametrize(("k", "size"), [(4, 0), (4, 1), (5, 2), (5, 4), (6, 3), (4, 4)])
def test_subsets_are_uniform(k, size):
    law = law_of(lambda draws: uniform_subset(draws, k, size))
    assert len(law) == math.comb(k, size)
    assert all(list(one) == sorted(set(one)) for one in law)
    assert set(law.values()) == {Fraction(1, math.comb(k, size))}


@pytest.mark.slow
def test_subsets_of_bytes_are_uniform():
    law, _ = exact_law(lambda draws: uniform_subset(draws, 3, 2), 2)
    assert law == dict.fromkeys([(0, 1), (0, 2), (1, 2)], Fraction(1, 3))


@pytest.mark.parametrize("own", range(4))
def test_randomised_response_keeps_the_value_or_draws_another(own):
    law = law_of(lambda draws: randomised_response(draws, own, 4, Fraction(2, 5)))
    assert law == {value: Fraction(2, 5) if value == own else Fraction(1, 5) for value in range(4)}


def test_a_stream_that_ends_says_how_many_bytes_it_lacks():
    stream = ByteStream.of(bytes(3))
    stream.uniform_below(256)
    with refused(InputError):
        stream.uniform_below(1 << 32)


@pytest.mark.parametrize(
    "draw",
    [
        lambda stream: stream.uniform_below(0),
        lambda stream: stream.bernoulli(Fraction(3, 2)),
        lambda stream: stream.choose([0, 0]),
        lambda stream: stream.choose([2, -1]),
    ],
    ids=["no number", "probability above 1", "no weight", "weight below 0"],
)
def test_what_has_no_law_is_refused(draw):
    with refused(InputError):
        draw(ByteStream.of(bytes(9)))


def test_bytes_of_the_operating_system_serve():
    stream = ByteStream.of_system()
    assert all(0 <= stream.uniform_below(1000) < 1000 for _ in range(50))
    assert stream.taken >= 100
