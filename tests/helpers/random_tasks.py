"""Tasks of all oracles at random, on which the reference, which knows their documents alone, and the catalog agree.

`python random_tasks.py COUNT SEED` goes through so many tasks, and prints how many of each oracle there were.
"""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import comb, prod
from random import Random
from typing import Any

import numpy as np
from draw_tree import law_of
from report_keys import key_of
from row_designs import cyclic_oracle

from mechdesign import InputError, NoAnswerError, Privacy
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_document import task_text
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.decoders.tables.subsets import subsets_of
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.columns import read_message, written_message
from mechdesign_catalog.reference.stated import Stated, stated_oracle
from mechdesign_catalog.reference.systems import KINDS, columns_of, exact_estimates, report
from mechdesign_catalog.reference.vectors.refusals import refused_messages
from mechdesign_catalog.systems.designs.designed import Designed
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.mean import MEAN_ORACLES
from mechdesign_catalog.systems.registry import READABLE, parse_oracle
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES, parse_marginal_oracle

NAMES = (*READABLE, *MEAN_ORACLES, *MARGINAL_ORACLES)
IN_NODES = ("grr", "oue", "olh", "hrr", "ss", "oue-hrr", "ss-hrr", "auto")
LEVELS = ("optimal", "ranges", "prefixes")
MOST_LEAVES = 81
MOST_CELLS = 200
MOST_TRIED = 300
FEW_BITS, FEW_STEPS, FEW_SELECTED = 6.5, 1001, 5
"""Where all paths of a client's draws are followed."""

ESTIMATED = 1e-12
"""Relative to the largest estimate, or to 1: the catalog's are floating-point numbers."""


def stated(oracle: Any) -> Stated:
    """What the document of a task for an oracle states, read as JSON."""
    return stated_oracle(json.loads(task_text(Task(oracle.parameters))))


def random_oracle(name: str, random: Random) -> Any:
    """An oracle of this name, with options, items and privacy at random."""
    for _ in range(MOST_TRIED):
        try:
            return (of_attributes if name in MARGINAL_ORACLES else of_items)(name, random)
        except InputError as error:
            last = error  # such items, options and privacy do not go together
    raise AssertionError(f"no {name} was made: {last}")


def privacy_at(random: Random) -> Privacy:
    if random.random() < 0.3:
        return Privacy(epsilon=random.choice(["1/10", "1/2", "1", "2", "5", "17/10"]))
    denominator = random.choice([2, 3, 10, 101, 2**20, 10**20 + 39])
    return Privacy(
        alpha=Fraction(random.randint(1 + denominator // 50, denominator - 1 - denominator // 20 or 1), denominator)
    )


def of_items(name: str, random: Random) -> Any:
    k, privacy = random.randint(2, random.choice([6, 40])), privacy_at(random)
    if name == "onebitmean":
        return OneBitMean(
            random.choice([k, 1001, 10**9 + 1]), privacy, Fraction(random.randint(1, 999), random.randint(1, 50))
        )
    if name == "designed":
        return Designed.of(random_mechanism(min(k, 12), random))
    if name == "workload-design":
        weights = [random.choice([0, 1, 2, 10**21]) for _ in range(random.randint(1, 3))]
        prior = [random.randint(0, 5) for _ in range(k)]
        return cyclic_oracle(k, privacy, weights, random.choice([None, prior]))
    if name in ("hh2", "haar2", "blocks2"):
        return plane(name, privacy, random)
    if name == "warped-blocks":
        k = 5 + k % 5  # of 4 items masks are drawn again without end, and of many the equations have long numbers
    return parse_oracle(":".join([name, *item_options(name, k, random)]), k, privacy)


def item_options(name: str, k: int, random: Random) -> list[str]:
    """Some of the options that an oracle of items has."""
    known = {
        "rappor": lambda: random.choice([[], ["p=1/4", "q=3/4"], ["p=1/10", "q=2/3"]]),
        "ss": lambda: [f"size={random.randint(1, k - 1)}"],
        "dbitflip": lambda: [f"d={random.randint(1, k)}"],
        "olh": lambda: [f"hash_bits={random.randint(1, 12)}"],
        "hrr": lambda: [f"t={random.randint(1, 5)}"],
        "hcms": lambda: [
            f"hashes={random.randint(1, 9)}",
            f"width={2 ** random.randint(1, 6)}",
            f"seed={random.choice([0, 7, 2**63 - 1])}",
        ],
        "hh": lambda: [
            f"b={random.randint(2, 7)}",
            f"in={random.choice(IN_NODES)}",
            f"estimate={random.choice(['ci', 'raw'])}",
            f"levels={random.choice([*LEVELS, *(weights_at(random, count) for count in (2, 3, 6))])}",
        ],
        "warped-blocks": lambda: ["levels=uniform"],
        "blocks": lambda: [f"levels={k}*{random.randint(1, 9)}{random.choice(['', '-x1*2'])}"],
        "haar": lambda: [f"levels={random.choice([*LEVELS, weights_at(random, (k - 1).bit_length())])}"],
    }
    return [option for option in known.get(name, list)() if random.random() < 0.6]


def weights_at(random: Random, count: int) -> str:
    return "-".join(str(random.choice([1, 2, 3, 9973])) for _ in range(count))


def plane(name: str, privacy: Privacy, random: Random) -> Any:
    rows, columns = random.randint(2, 9), random.randint(2, 20)
    b = random.randint(2, 5) if name == "hh2" else 2
    leaves = [next(b**h for h in range(9) if b**h >= side) for side in (rows, columns)]
    if rows * columns > 40 or prod(leaves) > MOST_LEAVES:
        raise InputError("too many items for an exact inverse")
    found = f"{name}:sides={rows}x{columns}" + (f":b={b}:in={random.choice(IN_NODES)}" if name == "hh2" else "")
    if random.random() < 0.3:
        weights = weights_at(random, random.randint(3, 12))
        found += f":levels={f'1x1*2-{rows}x1*{columns}' if name == 'blocks2' else weights}"
    return parse_oracle(found, rows * columns, privacy)


def random_mechanism(k: int, random: Random) -> Mechanism:
    """A matrix whose columns have one total, each with most of its weight at its own item."""
    scale = random.choice([1, 10**25])
    columns = [[random.randint(1, 9) * scale + random.randint(0, 3) for _ in range(k)] for _ in range(k)]
    total = max(map(sum, columns)) + random.randint(1, 20) * scale
    for item, column in enumerate(columns):
        column[item] += total - sum(column)
    return Mechanism(tuple(zip(*columns, strict=True)), total)


def of_attributes(name: str, random: Random) -> Any:
    two = name in ("inpem", "marght")
    domains = tuple(2 if two else random.randint(2, 7) for _ in range(random.randint(2, 5 if two else 4)))
    if prod(domains) > MOST_CELLS:
        raise InputError("too many cells")
    k = random.randint(1, min(3, len(domains)))
    options = {
        "rs+fd": lambda: [f"encoding={random.choice(['grr', 'oue-z', 'adp'])}"],
        "inpolh": lambda: [f"hash_bits={random.randint(1, 9)}"],
        "inphtcms": lambda: [
            f"hashes={random.randint(1, 6)}",
            f"width={2 ** random.randint(1, 5)}",
            f"seed={random.randint(0, 99)}",
        ],
        "calm": lambda: [
            random.choice([f"size={random.randint(k, len(domains))}", f"sets={sets_at(random, len(domains), k)}"])
        ],
        "inpht": lambda: ["draw=uniform"],
        "inpes": lambda: ["draw=uniform", f"basis={random.choice(['helmert', 'trigonometric', 'walsh'])}"],
    }
    some = [option for option in options.get(name, list)() if random.random() < 0.6]
    ways = [] if name in ("spl", "smp", "rs+fd") else [f"k={k}"]
    return parse_marginal_oracle(":".join([name, *ways, *some]), domains, privacy_at(random))


def sets_at(random: Random, d: int, k: int) -> str:
    """Sets of attributes that may cover all tables of k."""
    sets = {tuple(sorted(random.sample(range(d), random.randint(k, d)))) for _ in range(comb(d, k))}
    return "+".join(".".join(map(str, own)) for own in sorted(sets))


def check(oracle: Any, random: Random, users: int = 0) -> str:
    """Hold the reference against the catalog's oracle: messages, refusals, estimates of both clients' reports, the law.

    There are so many users, or a number at random. Returns what there was to compare: `estimates`, unless a level, a
    set or a table lacks users; `law`, if there are few reports.
    """
    assert oracle.name in KINDS, f"catalog/mechdesign_catalog/reference/systems.py must have {oracle.name}"
    known = stated(oracle)
    assert task_oracle(Task(oracle.parameters)) == oracle
    columns, domains = columns_of(known), getattr(oracle, "domains", (getattr(oracle, "k", 0),))
    assert [column.name for column in columns] == list(oracle.report_schema.names)
    users = users or random.choice([1, 40, 250])
    values = [tuple(random.randrange(k) for k in domains) for _ in range(users)]
    taken = values if hasattr(oracle, "domains") else [value for (value,) in values]
    stream = ByteStream(random.randbytes)
    rows = [report(known, value, stream) for value in taken]
    messages = [written_message(columns, row) for row in rows]
    reports = oracle.report_schema.from_messages(messages, oracle.parameters)
    assert oracle.report_schema.messages(reports) == messages
    assert [read_message(columns, message) for message in messages] == rows
    kinds = {compare_estimates(oracle, known, reports, rows)}
    of_catalog = oracle.privatize(np.array(taken), seeded_words(random.randrange(2**32)))
    told = [read_message(columns, message) for message in oracle.report_schema.messages(of_catalog)]
    kinds.add(compare_estimates(oracle, known, of_catalog, told))
    for message in refused_messages(columns, rows[-1]):
        assert not read(oracle, message), message.hex()
        assert not read_by_reference(columns, message), message.hex()
    for message in spoilt(random, messages[0]):
        assert read(oracle, message) == read_by_reference(columns, message), message.hex()
    if oracle.bits <= FEW_BITS and max(domains) <= FEW_STEPS and getattr(oracle, "selected", 0) <= FEW_SELECTED:
        place = int(np.ravel_multi_index(values[0], domains))
        law = {told: chances[place] for told, chances in oracle.report_law().items() if chances[place]}
        assert law_of(lambda draws: key_of(report(known, taken[0], draws))) == law
        kinds.add("law")
    return " ".join(sorted(kinds - {""}))


def compare_estimates(oracle: Any, known: Stated, reports: Any, rows: Sequence[Any]) -> str:
    state = oracle.aggregate(reports)
    try:
        exact = exact_estimates(known, rows)
    except NoAnswerError:
        exact = None
    try:
        if hasattr(oracle, "domains"):
            found = oracle.raw.estimate(state, subsets_of(len(oracle.domains), oracle.way))
        else:
            found, exact = [np.atleast_1d(oracle.estimate(state))], exact and [exact]
    except (InputError, NoAnswerError):
        found = None
    assert (found is None) == (exact is None), (found, exact)
    if exact is None:
        return ""
    assert [len(table) for table in found] == [len(table) for table in exact]
    if hasattr(known, "levels") and getattr(known, "estimate", "ci") == "ci":
        assert [sum(cells) for cells in exact] == [1]
    for table, cells in zip(found, exact, strict=True):
        scale = max(1, *(abs(cell) for cell in cells)) if cells else 1
        assert all(
            abs(Fraction(float(one)) - cell) <= ESTIMATED * scale for one, cell in zip(table, cells, strict=True)
        )
    return "estimates"


def spoilt(random: Random, message: bytes) -> list[bytes]:
    """Messages with another byte, a byte more or less, or bytes of no message at all."""
    place = random.randrange(len(message))
    return [
        message[:place] + random.randbytes(1) + message[place + 1 :],
        message[:place] + message[place + 1 :],
        message[:place] + random.randbytes(1) + message[place:],
        random.randbytes(len(message)),
    ]


def read(oracle: Any, message: bytes) -> bool:
    try:
        oracle.aggregate(oracle.report_schema.from_messages([message], oracle.parameters))
    except InputError:
        return False
    return True


def read_by_reference(columns: Any, message: bytes) -> bool:
    try:
        read_message(columns, message)
    except InputError:
        return False
    return True


def main(count: int, seed: int) -> None:
    """Go through tasks of all oracles in turn."""
    seen: Counter[str] = Counter()
    failed = 0
    for number in range(count):
        name = NAMES[number % len(NAMES)]
        random = Random(f"{seed} {number}")
        oracle = random_oracle(name, random)
        try:
            seen[f"{name} {check(oracle, random)}"] += 1
        except Exception as error:
            failed += 1
            print(f"task {number}: {oracle.parameters}: {type(error).__name__} {str(error)[:300]}", flush=True)
    print(json.dumps(dict(sorted(seen.items())), indent=1), f"failed: {failed}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
