"""Checks of a release of tables: its record, its output, its promise, and with the secret every noise."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

from mechdesign.arguments import checked
from mechdesign.documents.files import FilePath, read_text
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.stored import StoredNoiseTable
from mechdesign.errors import InputError
from mechdesign.releases.secret_key import InputDigest
from mechdesign.table_releases.applying import cells_csv
from mechdesign.table_releases.cells import count_cells, read_items
from mechdesign.table_releases.noise import CellNoise
from mechdesign.table_releases.promise import Promise, promises
from mechdesign.table_releases.secret import read_release, read_secret
from mechdesign.table_releases.statement import statement
from mechdesign.verify import table_release
from mechdesign.verify.proving import Claim
from mechdesign.verify.table_release import TRUE, TableRelease
from mechdesign.verify.texts import UnreadableError

SLACK = 1 + Fraction(1, 10**10)
"""Sums of floats may differ between machines by less than this; what is stated is above the truth by more."""


def is_table_release(path: FilePath) -> bool:
    """Tell whether a file is the record of a release of tables."""
    if Path(path).suffix.lower() != ".json":
        return False
    data = parse_json(read_text(Path(path)), str(path))
    return isinstance(data, dict) and data.get("format") == table_release.FORMAT


@checked
def check_table_release(
    record: FilePath,
    output: FilePath | None = None,
    input: FilePath | None = None,
    secret: FilePath | None = None,
    domain: FilePath | None = None,
) -> tuple[Claim, ...]:
    """Check everything that the record of a release of tables says, and what is given besides.

    Args:
        record: its file.
        output: the file of released cells.
        input: the file whose units were counted; goes with `secret`, and shows every noise.
        secret: the office's secret.
        domain: the public items, where the release has all their cells.

    Raises:
        InputError: for files that are unusable, or an input without a secret.
    """
    if (input is None) != (secret is None):
        raise InputError("input and secret go together, got one without the other")
    data = parse_json(read_text(Path(record)), str(record))
    try:
        found = table_release.read_table_release(data)
        claims = list(table_release.release_claims(found))
        if all(claim.true for claim in claims):
            claims += _promise_claims(found, data, str(record))
        if output is not None:
            claims += table_release.release_output_claims(found, Path(output))
    except UnreadableError as error:
        raise InputError(f"{error} (in {record})") from None
    if input is not None and secret is not None and all(claim.true for claim in claims):
        claims += _noise_claims(found, data, Path(input), Path(secret), domain)
    return tuple(claims)


def _stored(found: TableRelease, data: dict[str, object], source: str) -> StoredNoiseTable:
    raw = data["table"]
    assert isinstance(raw, dict)
    return StoredNoiseTable(found.table, raw, source)


def _promise_claims(found: TableRelease, data: dict[str, object], source: str) -> Iterator[Claim]:
    stored = _stored(found, data, source)
    problem, m = stored.problem, len(found.so_far)
    points = [(one.epsilon, one.start or 0, problem.start_of(one)) for one in problem.guarantees]
    own = [one for three in promises(stored.mechanism, points, m) for one in three]
    low = next(
        (
            k
            for k, (one, said) in enumerate(zip(own, found.promise, strict=False))
            if said.delta * SLACK < Fraction(one.delta)
        ),
        None,
    )
    words = f"delta of {m} and {2 * m} cells is no more than is stated"
    yield Claim(words, low is None, "" if low is None else f"it is {own[low].delta:.6g} in entry {low}")
    told = [Promise(one.epsilon, one.start, one.cells, float(one.delta)) for one in found.promise]
    threes = [(told[k], told[k + 1], told[k + 2]) for k in range(0, len(told), 3)]
    same = list(found.statement) == statement(problem, threes, m, found.domain)
    yield Claim("the statement says what the record does", same, "it says something else")


def _noise_claims(
    found: TableRelease, data: dict[str, object], path: Path, secret: Path, domain: FilePath | None
) -> Iterator[Claim]:
    key = read_secret(secret)
    digest = InputDigest(key.input_key)
    items = None if domain is None else read_items(domain)
    if found.domain != (domain is not None):
        raise InputError(f"domain must be given where the release has one, and there alone, got domain={domain}")
    largest = [names for names in found.sets if not any(set(names) < set(other) for other in found.sets)]
    order = {name: k for k, name in enumerate(found.variables)}
    tables = sorted(
        (tuple(sorted(names, key=order.__getitem__)) for names in largest), key=lambda t: [order[n] for n in t]
    )
    counted = count_cells(path, tables, found.unit_column, items, digest)
    same = digest.result() == found.input_code
    yield Claim("the input is the one that was released", same, "it has another code under the secret")
    noted = read_release(secret, key, found.name)
    sets = set() if noted is None else set(noted.sets)
    words = "nothing more was published under this name by this secret"
    yield Claim(words, sets == set(found.so_far), f"{len(sets)} sets of variables were")
    noise = CellNoise(_stored(found, data, "").mechanism, key.noise_key, found.name, digest.result())
    released = {cell: count + noise.of(cell, count) for cell, count in counted.counts.items()}
    shown = {cell: value if value >= found.hide else None for cell, value in released.items()}
    columns = replace(counted, variables=found.variables)
    content = cells_csv(columns, shown, found.hide, TRUE in found.columns)
    equal = sha256(content).hexdigest() == found.output_digest
    yield Claim("every released count is the true one with its noise", equal, "one is another")
