"""Random bytes, messages and rationals, read anew from the published rules: the standard library and nothing else."""

import struct
from fractions import Fraction


class Random:
    """The random bytes of a vector, used up from the left."""

    def __init__(self, digits):
        self.left = list(bytes.fromhex(digits))

    def below(self, m):
        """A uniform number below m, by throwing away what is above the last whole multiple of m."""
        width = 0
        while 256**width < m:
            width += 1
        last = 256**width // m * m
        while True:
            number = sum(self.left.pop(0) * 256**place for place in range(width))
            if number < last:
                return number % m

    def chance(self, text):
        """Whether what has this chance happens."""
        chance = Fraction(text)
        return self.below(chance.denominator) < chance.numerator

    def pick(self, weights):
        """The place of one of these weights."""
        rest = self.below(sum(weights))
        for place, weight in enumerate(weights):
            if rest < weight:
                return place
            rest -= weight
        raise AssertionError("weights add up")

    def subset(self, k, size):
        """So many of the numbers 0..k-1, by Floyd's way."""
        found = []
        for t in range(k - size, k):
            r = self.below(t + 1)
            found.append(t if r in found else r)
        return sorted(found)

    def answer(self, own, m, kept):
        """Randomised response."""
        if self.chance(kept):
            return own
        r = self.below(m - 1)
        return r + (r >= own)


def odd(number):
    """Whether the binary form has an odd number of ones."""
    return bin(number).count("1") % 2


def width_of(bound):
    """Bytes of a number below a bound: 1, 2, 4 or 8."""
    return next(width for width in (1, 2, 4, 8) if bound <= 256**width)


CODES = {1: "B", 2: "<H", 4: "<I", 8: "<Q"}


def number(value, bound):
    """A number below a bound, as a message has it."""
    return struct.pack(CODES[width_of(bound)], value)


def bits(flags):
    """Flags as packed bits."""
    padded = [*flags, *[0] * (-len(flags) % 8)]
    return bytes(sum(2**j for j in range(8) if padded[at + j]) for at in range(0, len(padded), 8))


class Message:
    """One message, read from the left."""

    def __init__(self, data):
        self.data = data

    def bytes(self, count):
        found, self.data = self.data[:count], self.data[count:]
        assert len(found) == count, "the message is too short"
        return found

    def number(self, bound):
        width = width_of(bound)
        (found,) = struct.unpack(CODES[width], self.bytes(width))
        assert found < bound, "a number is outside its range"
        return found

    def bits(self, count):
        data = self.bytes(-(-count // 8))
        flags = [data[place // 8] // 2 ** (place % 8) % 2 for place in range(8 * len(data))]
        assert not any(flags[count:]), "a bit stands beyond the last"
        return flags[:count]
