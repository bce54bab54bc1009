"""Releases of real counts: one exact noisy output for each row of a table.

Tables are released in chunks that fit any memory.
"""

import csv
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import islice
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from mechdesign.arguments import checked
from mechdesign.documents.csv_rows import (
    Cells,
    column_position,
    listed_names,
    require_at_most,
    whole_numbers,
)
from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.fair import LawMechanism
from mechdesign.mechanism.layered import MOST_PEOPLE
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import Sampler, WordSource
from mechdesign.problem.model import MAX_SIZE
from mechdesign.problem.privacy import loss_text
from mechdesign.rational import number_text

RELEASED = "released"
CHUNK_ROWS = 65_536
STATEMENT_WIDTH = 79

Integers = NDArray[np.int64]
Progress = Callable[[int], None]
"""Told how many rows (or bytes, as the source counts) were done since the last call."""


@dataclass(frozen=True)
class ReleaseColumns:
    """The columns of a release: the true count, the size of the group, and the output.

    The size is a column only if rows have their own.
    """

    header: Cells
    count: int
    size: int | None
    keep_true: bool

    @classmethod
    def find(cls, header: Cells, count: str | None, size: str | None, keep_true: bool, source: str) -> "ReleaseColumns":
        """Find the columns by their names in a header.

        Raises:
            InputError: for a name that is missing or stands twice, or a column that is called `released` already.
        """
        if count is None:
            others = [name for name in header if name != size]
            if len(others) != 1:
                raise InputError(f"column must be named, got {len(others)} to choose from: {listed_names(others)}")
            count = others[0]
        if RELEASED in header:
            raise InputError(f"the input must not have a column called {RELEASED}, got one in {source}; rename it")
        at_size = None if size is None else column_position(header, size, source, "size")
        at_count = column_position(header, count, source, "column")
        if at_size == at_count:
            raise InputError(f"column and size must be two columns, got {count} for both")
        return cls(header, at_count, at_size, keep_true)

    def written(self) -> Cells:
        """Return the output's header."""
        return self.rewritten(self.header, RELEASED)

    def rewritten(self, row: Cells, released: str) -> Cells:
        """Return an output row: the input row with the released count, without the true one unless that is kept."""
        kept = row if self.keep_true else row[: self.count] + row[self.count + 1 :]
        return [*kept, released]


class MechanismChooser:
    """The mechanism for each row: one for all, or one for each group size.

    A mechanism is made when its size first occurs.

    `by_law` tells which of some sizes are drawn by a law, and its mechanism; the others have one each. `drawn` counts
    the groups of each size that were drawn, and `served` has the sizes of which a law drew them.
    """

    def __init__(
        self,
        make: Callable[[int], Mechanism],
        words: WordSource | None,
        single: Mechanism | None = None,
        by_law: Callable[[list[int]], tuple[LawMechanism, list[int]] | None] = lambda sizes: None,
    ) -> None:
        self.drawn: Counter[int] = Counter()
        self.single = None if single is None else _sampler(single, words)
        self.for_size = cache(lambda size: _sampler(make(size), words))
        self.by_law = by_law
        self.served: set[int] = set()
        self.words = words

    @classmethod
    def one(cls, mechanism: Mechanism, words: WordSource | None) -> "MechanismChooser":
        """Make the chooser that takes one mechanism for all rows."""
        return cls(lambda size: mechanism, words, mechanism)


def _sampler(mechanism: Mechanism, words: WordSource | None) -> Sampler:
    return Sampler(mechanism.weights, mechanism.denominator, words)


def release_rows(
    rows: Iterable[Cells],
    columns: ReleaseColumns,
    chooser: MechanismChooser,
    output: TextIO,
    source: str,
    progress: Progress = lambda rows: None,
) -> int:
    """Write the table with a `released` column in place of the true one; return the number of rows.

    Each output is drawn independently from column `count` of its mechanism.

    Raises:
        InputError: for a count or size that is not a whole number in range (naming its row), or an empty table.
    """
    done = 0
    source_rows = iter(rows)
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(columns.written())
    while chunk := list(islice(source_rows, CHUNK_ROWS)):
        released = _release_chunk(chunk, columns, chooser, done, source)
        writer.writerows(map(columns.rewritten, chunk, map(str, released.tolist())))
        done += len(chunk)
        progress(len(chunk))
    if not done:
        raise InputError(f"the input must have at least one row, got none in {source}")
    return done


def _release_chunk(
    chunk: list[Cells], columns: ReleaseColumns, chooser: MechanismChooser, done: int, source: str
) -> Integers:
    counts = whole_numbers([row[columns.count] for row in chunk], "count", done, source)
    sizes = None
    if columns.size is not None and chooser.single is None:
        sizes = whole_numbers([row[columns.size] for row in chunk], "size", done, source)
    return draw_released(counts, sizes, chooser, done, source)


def draw_released(
    counts: Integers, sizes: Integers | None, chooser: MechanismChooser, done: int, source: str
) -> Integers:
    """Draw a noisy count for each true one; `done` rows of the source came before them.

    Raises:
        InputError: for a count or a size out of range, naming its row.
    """
    if chooser.single is not None:
        n = chooser.single.n_inputs - 1
        require_at_most(counts, np.full(len(counts), n), done, source, f"the mechanism's n = {n}")
        chooser.drawn[n] += len(counts)
        return chooser.single.sample(counts)
    assert sizes is not None
    require_sizes(sizes, done, source)
    require_at_most(counts, sizes, done, source, "its size")
    released = np.empty_like(counts)
    different = np.unique(sizes).tolist()
    try:
        law = chooser.by_law(different)
    except InputError as error:
        raise InputError(f"{error}, for row {done + int(np.argmax(sizes)) + 1} of {source}") from None
    mechanism, of_law = (None, []) if law is None else law
    if mechanism is not None and of_law:
        where = np.isin(sizes, of_law)
        released[where] = mechanism.sample(sizes[where], counts[where], chooser.words)
        chooser.served.update(of_law)
        chooser.drawn.update(sizes[where].tolist())
    own = sorted(set(different) - set(of_law))
    if own and own[-1] >= MAX_SIZE:
        row = done + int(np.argmax(sizes == own[-1])) + 1
        raise InputError(f"size must be at most {MAX_SIZE - 1} without a law, got more in row {row} of {source}")
    for size in own:
        where = sizes == size
        try:
            sampler = chooser.for_size(size)
        except InputError as error:
            raise InputError(f"{error}, for row {done + int(np.argmax(where)) + 1} of {source}") from None
        released[where] = sampler.sample(counts[where])
        chooser.drawn[size] += int(where.sum())
    return released


def require_sizes(sizes: Integers, done: int, source: str) -> None:
    """Refuse sizes that no mechanism has, naming the first row that has one; `done` rows came before them."""
    for wrong, words in (
        (sizes < 1, "at least 1, got less"),
        (sizes > MOST_PEOPLE, f"at most {MOST_PEOPLE}, got more"),
    ):
        if wrong.any():
            raise InputError(f"size must be {words} in row {done + int(np.argmax(wrong)) + 1} of {source}")


@checked
def privacy_statement(alpha: Fraction, n: int | None, rows: int, seed: int | None = None, unit: str = "person") -> str:
    """Write what a release with this alpha promises and on which conditions; n None means that sizes differ by row.

    `unit` is what is protected: a person, a household.
    """
    if not 0 < alpha <= 1:
        raise InputError(f"alpha must be in (0, 1], got alpha={shorten(alpha)}")
    lines = privacy_sentences(alpha, n, rows, unit)
    if seed is not None:
        lines.append(f"Seeded with {seed}: a SIMULATION. Whoever knows the seed can undo the noise; do not publish it.")
    return "".join(textwrap.fill(line, STATEMENT_WIDTH) + "\n" for line in lines)


def privacy_sentences(alpha: Fraction, n: int | None, rows: int, unit: str) -> list[str]:
    """Write the paragraphs that every release states; errors and arguments as `privacy_statement`."""
    groups = f"The group size n = {n} is public." if n is not None else "The size of every group is public."
    counts = "1 count was" if rows == 1 else f"{rows} counts were"
    return [
        f"Privacy statement: {counts} released, each with epsilon = {loss_text(alpha)} (alpha = {number_text(alpha)}).",
        f"A neighbour is the same data with one {unit}'s answer changed, which moves one count by at most 1.",
        f"{groups} Groups must be disjoint: a {unit} in several groups spends epsilon in each.",
        "Releasing the same data again adds another epsilon; any processing of the released counts is free.",
    ]
