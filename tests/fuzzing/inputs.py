"""Make malformed inputs: a command line and the files that it reads, from a seed and a number."""

import hashlib
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import mutations
import numpy as np
from samples import line_texts

from mechdesign_cli.commands import SUMMARIES, command_of
from mechdesign_cli.group import load_command

OUTPUTS = [
    "out.json",
    "out.csv",
    "out.npz",
    "out.parquet",
    "out.txt",
    "out.lp",
    "out.mps",
    "out.vipr",
    "no/out.csv",
    ".",
    "out",
    "wm.json",
]
PICTURES = ["out.svg", "out.png", "out.pdf", "out.gif", "no/out.svg"]


@dataclass(frozen=True)
class Line:
    """A good command line, and how long it takes."""

    words: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Input:
    """A command line, files beside it, and which of them are damaged."""

    words: tuple[str, ...]
    files: dict[str, bytes]
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parameter:
    """An option or an argument of a command."""

    spellings: tuple[str, ...]
    is_option: bool
    is_flag: bool


def parameters_of(command):
    """Every option and argument, as the command itself declares them."""
    return [
        Parameter(tuple(found.opts), found.opts[0].startswith("-"), bool(getattr(found, "is_flag", False)))
        for found in load_command(command).params
    ]


QUICK = 0.25
"""Seconds up to which a line is drawn as often as any; slower ones four times more seldom."""


class Inputs:
    """All that inputs are made of; `make(k)` makes the k-th, the same for the same seed.

    Each line draws a number by its own words, and the one with the least takes the input. So where a line is slow, or
    is none because this machine took too long for it, inputs of all others stay.
    """

    def __init__(self, seed, samples, lines):
        self.seed, self.samples, self.lines = seed, samples, lines
        self.parameters = {command: parameters_of(command) for command in SUMMARIES}
        self.keys = np.array([_key(" ".join(line.words)) for line in lines], dtype=np.uint64)
        self.rates = np.array([1.0 if line.seconds <= QUICK else 0.25 for line in lines])
        self.values = self._seen_values()

    def _seen_values(self):
        """What known lines give each option, by its spelling, whether they are good here or not."""
        values = {}
        for words in line_texts():
            for option, value in pairwise(words):
                if option.startswith("-") and not value.startswith("--"):
                    values.setdefault(option, []).append(value)
        return values

    def make(self, number):
        """Make one input: a good line with some damage to its words, its files, or both."""
        random = Random(f"{self.seed}:{number}")
        words = self._from_nothing(random) if random.random() < 0.06 else list(self._drawn(number).words)
        read = self._files_of(words)
        damages_file = bool(read) and random.random() < 0.6
        for _ in range(random.choice([0, 0, 0, 1] if damages_file else [1, 1, 1, 2, 3])):
            words = self._damaged_words(random, words)
        if words[:1] == ["reproduce"] and ("--all" in words or "--claims" in words):
            words = [word for word in words if word not in ("--all", "--claims")]  # hours of good work
        files = {name: self.samples[name] for name in self._files_of(words)}
        damaged = ()
        if damages_file and files:
            name = random.choice(list(files))
            files[name] = mutations.file_bytes(random, name, files[name], list(self.samples.values()))
            damaged = (name,)
        return Input(tuple(words), files, damaged)

    def _drawn(self, number):
        """The line whose exponential time is the least."""
        mixed = (self.keys ^ np.uint64(_key(f"{self.seed}:{number}"))) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        times = -np.log(((mixed >> np.uint64(11)).astype(float) + 0.5) / 2.0**53) / self.rates
        return self.lines[int(np.argmin(times))]

    def _files_of(self, words):
        """The samples that a command line names."""
        return [name for name in self.samples if any(name in word for word in words)]

    def _from_nothing(self, random):
        """A command with options at random."""
        command = random.choice(list(SUMMARIES))
        words = command.split()
        for parameter in random.sample(self.parameters[command], min(3, len(self.parameters[command]))):
            words += self._given(random, parameter)
        return words

    def _given(self, random, parameter):
        """An option with a value, or the value of an argument."""
        spelling = random.choice(parameter.spellings)
        if parameter.is_flag:
            return [spelling]
        value = self._value(random, spelling)
        if not parameter.is_option:
            return [value]
        return [f"{spelling}={value}"] if random.random() < 0.1 else [spelling, value]

    def _value(self, random, spelling):
        """A value that may suit the option, or not at all."""
        pools = [mutations.NUMBERS, mutations.TEXTS, list(self.samples)]
        if spelling in ("--output", "-o", "--repair", "--record"):
            pools += [OUTPUTS] * 6
        elif spelling == "--plot":
            pools += [PICTURES] * 3
        elif spelling in self.values:
            pools += [self.values[spelling]] * 4
        value = random.choice(random.choice(pools))
        return mutations.text(random, value) if random.random() < 0.2 else value

    def _damaged_words(self, random, words):
        """Change, remove, repeat, exchange or add a word or an option."""
        choice = random.choices(range(10), [3, 3, 3, 3, 1, 1, 1, 0.4, 2, 2])[0]
        at = random.randrange(1, len(words)) if len(words) > 1 else 0
        parameters = self.parameters.get(command_of(words), [])
        if choice < 4 and at:
            before = words[at - 1]
            if words[at].startswith("--"):
                changed = mutations.text(random, words[at])
            else:
                changed = self._value(random, before) if random.random() < 0.6 else mutations.text(random, words[at])
            return [*words[:at], changed, *words[at + 1 :]]
        if choice == 4 and at:
            return words[:at] + words[at + 1 :]
        if choice == 5 and at:
            return words[:at] + words[at : at + 2] * 2 + words[at + 2 :]
        if choice == 6 and at:
            other = random.randrange(1, len(words))
            words[at], words[other] = words[other], words[at]
            return words
        if choice == 7:
            other = random.choice([*SUMMARIES, mutations.text(random, words[0])]) if words else ""
            return [*other.split(), *words[1:]]
        if parameters:
            return words + self._given(random, random.choice(parameters))
        return [*words, random.choice(mutations.TEXTS)]


def _key(text):
    """A number of 64 bits that a text gives, the same in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
