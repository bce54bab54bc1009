"""Throw malformed inputs at every command, and report what no user should see.

    python tests/fuzzing/fuzz.py --inputs 10000 --whole 200 --processes 2

Commands, options, examples and files are found by themselves. A fault is a traceback, an exit code other than 0, 1 and
2 (70 is one), a file half-written or written in spite of bad input, exit code 2 with more or less than one line on
stderr, too much memory, or work that Ctrl-C does not end. Inputs follow from the seed, which is printed, and so does
the smallest command that shows each fault; its files are kept. What takes longer than a second is interrupted and
counted, since it may be good work.
"""

import argparse
import os
import secrets
import shlex
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path

from inputs import Input, Inputs, Line
from samples import line_texts, make_samples
from shrinking import shrink
from trials import UNCUT, Folder, Verdict, try_here, try_whole
from workshop import in_a_process, limit_memory, settle_in, try_all

from mechdesign_cli.commands import command_of

BAD_INPUT = 2
GOOD = (0, 1)


def prepared(seed, tell=lambda text: None, step=1):
    """Make samples and good lines in a process and a folder that are gone afterwards; return what inputs are of.

    Of the lines that are known each `step`-th is tried, and as many more as give each command one.
    """
    samples, lines, told = in_a_process(partial(prepare, step))
    for text in told:
        tell(text)
    return Inputs(seed, samples, lines)


def prepare(step):
    """Return samples by name, good lines, and what is to be told of those that are not."""
    told = []
    with tempfile.TemporaryDirectory() as place:
        settle_in(place)
        folder = Folder(Path(place) / "samples")
        folder.fill({})
        samples = make_samples(told.append)
        tried = {words: try_here(Input(words, samples), folder) for words in line_texts()[::step]}
        lines = [Line(words, verdict.seconds) for words, verdict in tried.items() if verdict.code in GOOD]
        lines += uncut(samples, {command_of(line.words) for line in lines}, folder)
        os.chdir("/")
    for words, verdict in tried.items():
        if verdict.was_cut or verdict.code == BAD_INPUT:
            why = "takes long" if verdict.was_cut else verdict.said
            told.append(f"no start for damage: mechdesign {shlex.join(words)} ({why})")
    return samples, lines, told


def uncut(samples, commands, folder):
    """Return a good line of each command that is not among these: on a slow machine all of them were interrupted."""
    lines = {}
    for words in line_texts():
        if (command := command_of(words)) not in commands | lines.keys():
            verdict = try_here(Input(words, samples), folder, UNCUT, UNCUT)
            if verdict.code in GOOD:
                lines[command] = Line(words, verdict.seconds)
    return list(lines.values())


class Report:
    """Count verdicts, and keep one small input for each kind of fault."""

    def __init__(self, inputs, whole):
        self.inputs, self.whole = inputs, whole
        self.codes, self.commands, self.cuts, self.slowest = Counter(), Counter(), Counter(), []
        self.faults = {}
        self.kinds = Counter()

    def take(self, number, verdict):
        """Count a verdict; a text is that of a process that died."""
        one = self.inputs.make(number)
        command = command_of(one.words)
        if isinstance(verdict, str):
            verdict = Verdict(-1, 0.0, False, f"{command}: {verdict}", verdict)
        self.codes[verdict.code] += 1
        self.commands[command] += 1
        if verdict.was_cut:
            self.cuts[command] += 1
        self.slowest = sorted([*self.slowest, (verdict.seconds, number)], reverse=True)[:5]
        if verdict.kind:
            self.kinds[verdict.kind] += 1
            self.faults.setdefault(verdict.kind, (number, verdict))

    def print_all(self, keep):
        """Print counts, then each kind of fault with its smallest command."""
        print(f"exit codes {dict(sorted(self.codes.items()))}, interrupted {dict(self.cuts.most_common(8))}")
        with tempfile.TemporaryDirectory() as place:
            folder = Folder(Path(place) / "here")
            for kind, (number, verdict) in self.faults.items():
                one = self._smallest(number, kind, verdict, folder)
                kept = Path(keep) / f"{number}"
                print(f"\n{self.kinds[kind]} x {kind}\n  {verdict.fault.strip()[:700]}")
                print(f"  input {number}: mechdesign {shlex.join(one.words)!r}")
                print(f"  files in {kept}: {', '.join(one.damaged)}")
                Folder(kept).fill(one.files)
                os.chdir("/")
        return not self.faults

    def _smallest(self, number, kind, verdict, folder):
        one = self.inputs.make(number)
        if verdict.code == -1 or "hangs" in kind:
            return one
        trial = try_whole if self.whole else try_here
        return shrink(one, self.inputs.samples, lambda smaller: trial(smaller, folder).kind == kind)


def main(arguments=None):
    """Run the fuzzer; returns 1 where a fault was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--whole", type=int, default=0, help="so many as processes of their own")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", type=int, default=None, help="the number of one input, to be tried and shown")
    parser.add_argument("--keep", default=None, help="folder for the files of faults")
    asked = parser.parse_args(arguments)
    seed = secrets.randbelow(10**9) if asked.seed is None else asked.seed
    keep = asked.keep or tempfile.mkdtemp(prefix="mechdesign-faults-")
    print(f"seed {seed}, faults kept in {keep}", flush=True)
    started = time.perf_counter()
    inputs = prepared(seed, print)
    done = time.perf_counter() - started
    counts = f"{len(inputs.samples)} files, {len(inputs.lines)} good lines, {len(inputs.parameters)} commands"
    print(f"{counts}, {done:.0f} s", flush=True)
    if asked.only is not None:
        return show_one(inputs, asked.only, keep)
    good = True
    for count, whole in ((asked.inputs, False), (asked.whole, True)):
        if count:
            started = time.perf_counter()
            report = Report(inputs, whole)
            numbers = list(range(10**6, 10**6 + count) if whole else range(count))
            for number, verdict in try_all(inputs, numbers, asked.processes, whole):
                report.take(number, verdict)
            done = time.perf_counter() - started
            print(f"\n{count} inputs {'as whole processes' if whole else 'in process'}, {done:.0f} s")
            good = report.print_all(keep) and good
            sys.stdout.flush()
    return 0 if good else 1


def show_one(inputs, number, keep):
    """Try one input and print what was seen."""
    one = inputs.make(number)
    folder = Folder(Path(keep) / f"{number}")
    print(f"mechdesign {shlex.join(one.words)!r}, damaged: {', '.join(one.damaged) or 'no file'}")
    print(try_whole(one, folder))
    return 0


if __name__ == "__main__":
    limit_memory()
    ending = main()
    sys.stdout.flush()
    os._exit(ending)  # threads of interrupted pools may wait for ever
